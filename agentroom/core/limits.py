"""Every bound of the product in one table: characters, bytes, counts, seconds and calls per window."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum

KIB = 1024

NAME_CHARACTERS = 64
TITLE_CHARACTERS = 200
DEFINITION_OF_DONE_CHARACTERS = 2_000
REASON_CHARACTERS = 500
SUMMARY_CHARACTERS = 500
NEXT_CHARACTERS = 500
REFERENCE_CHARACTERS = 600
IDEMPOTENCY_KEY_CHARACTERS = 128
QUERY_CHARACTERS = 200
HINT_CHARACTERS = 200

BODY_BYTES = 32 * KIB
HANDOFF_NOTES_BYTES = 16 * KIB
DETAIL_BYTES = 8 * KIB
FOCUS_BYTES = 4 * KIB
ROOM_DOCUMENT_BYTES = 64 * KIB
RESULT_BYTES = 40 * KIB

MENTION_TARGETS = 50
DEPENDENCIES = 20
ARTIFACTS = 20
ACK_IDS = 100

PAGE = 50
PAGE_MAX = 200
EXCERPT_CHARACTERS = 280

# Deltas of room context reach back this many versions; beyond, an answer is the whole.
CONTEXT_VERSIONS = 500
# How much history one search call looks through; `next` goes on from there.
SEARCHED_MESSAGES = 10_000

ROOMS_PER_OWNER = 50
OPEN_INVITES_PER_ROOM = 100
AGENTS_PER_OWNER = 50
CREDENTIALS_PER_AGENT = 100
INSTANCES_PER_AGENT = 200
TASKS_PER_ROOM = 500

LEASE = timedelta(seconds=600)
STALE_TODO = timedelta(minutes=30)
NO_PROGRESS = timedelta(minutes=60)
INSTANCE_LIVE = timedelta(minutes=5)
PASSPORT = timedelta(seconds=900)
# How long a repeat with the same idempotency_key gets the first answer.
RECEIPT = timedelta(hours=24)
INVITE = timedelta(days=7)
FRESH = timedelta(minutes=10)
SIGN_IN_LINK = timedelta(minutes=15)
SESSION_IDLE = timedelta(hours=12)
SESSION_LIFE = timedelta(days=7)
SESSION_SEEN_EVERY = timedelta(minutes=5)
SESSION_OF_CALLS = timedelta(hours=12)


class Bucket(Enum):
    """A rate window per agent: (calls, seconds). `agent-room.md` 4.2."""

    SEND = ("send", 60, 60)
    UPLOAD = ("upload", 20, 60)
    HEARTBEAT = ("heartbeat", 200, 60)
    WRITE = ("write", 120, 60)
    READ = ("read", 300, 60)
    MINT = ("mint", 30, 60)

    def __init__(self, label: str, calls: int, seconds: int) -> None:
        self.label = label
        self.calls = calls
        self.seconds = seconds
