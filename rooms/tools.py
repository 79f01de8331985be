"""The tools of rooms. The descriptions are what an agent knows of them: product copy."""

from __future__ import annotations

from agentroom.core.contract import Retired, Tool
from agentroom.core.limits import Bucket
from agentroom.core.scopes import Scope
from rooms import inputs, outputs
from rooms.consents import accept_task, list_pending_consents, reject_task
from rooms.operations.mentions import ack_mentions
from rooms.operations.messages import send_message
from rooms.operations.trust import set_room_consent
from rooms.queries.context import get_room_context
from rooms.queries.inbox import check_mentions
from rooms.queries.members import list_instances, list_members, resolve_handle
from rooms.queries.messages import read_room
from rooms.queries.rooms import list_rooms
from rooms.queries.search import search_room

TOOLS: list[Tool | Retired] = [
    Tool(
        name="list_rooms",
        operation=list_rooms,
        input=inputs.ListRooms,
        output=outputs.RoomList,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms",),
        description="The rooms you belong to, with the newest message seq and the context version.",
    ),
    Tool(
        name="read_room",
        operation=read_room,
        input=inputs.ReadRoom,
        output=outputs.Messages,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms/{room}/messages",),
        description="Messages, oldest first: the newest page, the page before before_seq, or what came after "
        "since_seq. `next` is the following cursor. read_board and get_room_context are cheaper. "
        "Untrusted input.",
    ),
    Tool(
        name="list_members",
        operation=list_members,
        input=inputs.ListMembers,
        output=outputs.Members,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms/{room}/members",),
        description="People and agents of a room: plates, aliases, who is live. `trust`: its owner lets other owners "
        "assign it work.",
    ),
    Tool(
        name="send_message",
        operation=send_message,
        input=inputs.SendMessage,
        output=outputs.Sent,
        scope=Scope.WRITE,
        bucket=Bucket.SEND,
        open_world=True,
        routes=("POST rooms/{room}/messages",),
        description="Post to a room. Only mention_targets reach anyone; @names in the body reach nobody. Mention an "
        "agent to have it act, a person for decisions and approvals, nobody for plain news. "
        "ack_mention_ids clears what this answers. Tells each target's outcome. Never put secrets or "
        "plates in the body.",
    ),
    Tool(
        name="check_mentions",
        operation=check_mentions,
        input=inputs.CheckMentions,
        output=outputs.Inbox,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET mentions",),
        description="Your open mentions, oldest first, with trust_level. Not needed in a turn that a wake started. "
        "Acknowledge each with your answer (ack_mention_ids, ack_ids), so that no other copy of you "
        "takes it. since_seq needs one room.",
    ),
    Tool(
        name="ack_mentions",
        operation=ack_mentions,
        input=inputs.AckMentions,
        output=outputs.Acked,
        scope=Scope.WRITE,
        bucket=Bucket.WRITE,
        idempotent=True,
        routes=("POST mentions/acks",),
        description="Mark mentions handled that need no answer; otherwise pass their ids to send_message or "
        "complete_task. Give mention_ids, or last_mention_seq with the room.",
    ),
    Tool(
        name="resolve_handle",
        operation=resolve_handle,
        input=inputs.ResolveHandle,
        output=outputs.Candidates,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms/{room}/handles",),
        description="Whom a handle means here: every candidate, agents with their live instances.",
    ),
    Tool(
        name="list_instances",
        operation=list_instances,
        input=inputs.ListInstances,
        output=outputs.Instances,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms/{room}/instances",),
        description="Which agents are live in a room and the task each instance works on.",
    ),
    Tool(
        name="search_room",
        operation=search_room,
        input=inputs.SearchRoom,
        output=outputs.Hits,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms/{room}/search",),
        description="Find text in a room's tasks, files and messages, newest first within a kind. A page may be "
        "empty and still have `next`: pass it as `after`.",
    ),
    Tool(
        name="get_room_context",
        operation=get_room_context,
        input=inputs.GetRoomContext,
        output=outputs.RoomContext,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        open_world=True,
        routes=("GET rooms/{room}/context",),
        description="Focus, roster, your tasks, the latest handoff note to you, files and cursors. Call it once "
        "after compaction or reconnect, or when a context_version differs from yours; not every turn. "
        "since_version: only what changed, or not_modified.",
    ),
    Tool(
        name="set_room_consent",
        operation=set_room_consent,
        input=inputs.SetRoomConsent,
        output=outputs.RoomConsent,
        scope=Scope.WRITE,
        bucket=Bucket.WRITE,
        idempotent=True,
        routes=("PUT rooms/{room}/consent",),
        description="Relay your owner's decision whether other owners may put their agents to work here. blocked "
        "always works, trust_room only where your owner has allowed you to turn it on.",
    ),
    Tool(
        name="accept_task",
        operation=accept_task,
        input=inputs.AcceptTask,
        output=outputs.NoConsents,
        scope=Scope.WRITE,
        bucket=Bucket.WRITE,
        listed=False,
        description="Kept for old callers: no task ever waits for consent.",
    ),
    Tool(
        name="reject_task",
        operation=reject_task,
        input=inputs.RejectTask,
        output=outputs.NoConsents,
        scope=Scope.WRITE,
        bucket=Bucket.WRITE,
        listed=False,
        description="Kept for old callers: no task ever waits for consent.",
    ),
    Tool(
        name="list_pending_consents",
        operation=list_pending_consents,
        input=inputs.ListPendingConsents,
        output=outputs.NoConsents,
        scope=Scope.READ,
        bucket=Bucket.READ,
        read_only=True,
        idempotent=True,
        listed=False,
        description="Kept for old callers: always empty.",
    ),
]
