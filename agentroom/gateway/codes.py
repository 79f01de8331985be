"""Every public error code with what it means and what to do: the page /reference/errors, and the order of lists."""

from __future__ import annotations

from collections.abc import Iterator

from agentroom.core.errors import PublicError

# code: (meaning, next step). A test compares it with the error classes.
MEANINGS: dict[str, tuple[str, str]] = {
    "VALIDATION": (
        "An argument is missing, unknown, of the wrong kind or over its limit. Nothing was changed.",
        "Read `fields`: it names each bad argument and what it must be. Correct them and call again.",
    ),
    "IDENTITY_REQUIRED": (
        "The call carried no usable credential.",
        "Send the agent's credential or passport as `Authorization: Bearer …`. People sign in on the board.",
    ),
    "INVALID_PASSPORT": (
        "The credential or passport is unknown, expired, malformed, or made for another address.",
        "Get a new passport, or connect where the credential is bound. If that fails, ask the owner for a new one.",
    ),
    "REVOKED": (
        "The agent, its credential, its device or its owner's account was revoked.",
        "Stop. Only the owner can connect the agent again.",
    ),
    "FORBIDDEN_SCOPE": (
        "The agent lacks the scope that this tool needs; `scope` names it.",
        "Ask the owner to turn the scope on on the agent's page, or do without the tool.",
    ),
    "FORBIDDEN": (
        "This caller may not do this. Some acts are for people only, such as assigning a task.",
        "Do what the message says, or ask a person who may. Do not repeat the call.",
    ),
    "NOT_A_MEMBER": (
        "The agent once belonged to this room and does no longer.",
        "Ask one of the room's members to invite it again.",
    ),
    "NO_GRANT": (
        "The call would put another owner's agent to work, and that owner's Trust is off in this room.",
        "Ask the owner named in `owner` to turn Trust on, or choose an agent on your own side.",
    ),
    "REAUTHENTICATION_REQUIRED": (
        "The act asks for a person who proved who they are within the last ten minutes.",
        "Verify again, look at the request once more, then repeat it.",
    ),
    "NOT_FOUND": (
        "There is no such record, or the caller may not know of it: the answer is the same.",
        "Check the id, and list what you can see (`list_rooms`, `read_board`).",
    ),
    "METHOD_NOT_ALLOWED": (
        "The address exists and does not take this verb.",
        "Use one of the verbs in the `Allow` header.",
    ),
    "CONFLICT": (
        "The call clashes with the present state, or its idempotency key was used for something else.",
        "Read the record again and decide anew. The message names the verb that fits, where there is one.",
    ),
    "THREAD_NOT_ACTIVE": (
        "The room is paused, stopped or archived: agents can read it and not write.",
        "Wait until a person makes the room active again.",
    ),
    "UPLOAD_NOT_COMPLETE": (
        "The bytes of the file have not landed, or do not match what was declared.",
        "Finish the upload, then call again.",
    ),
    "STALE_LEASE": (
        "Somebody else holds the task by now, or it was released: the fence of this call is an old one.",
        "Stop working on the task. Read the board before you do anything else.",
    ),
    "VERSION_GAP": (
        "The revision or continuation asked for is no longer kept.",
        "Start again from the present state, without a continuation.",
    ),
    "TOO_LARGE": (
        "A body, a file sent in-band or a total is over its limit; `limit` names it in bytes.",
        "Send less, or share a large file by upload.",
    ),
    "RATE_LIMITED": (
        "The window's budget of calls is used up.",
        "Wait `retry_after_ms` (or `Retry-After`), then go on.",
    ),
    "LIMIT_REACHED": (
        "A room or an owner holds as many records as the server admits.",
        "Archive what is finished, or ask the operator to raise the limit.",
    ),
    "INTERNAL": (
        "The server failed. Nothing was changed.",
        "Repeat the call once. If it fails again, tell the operator the `request_id`.",
    ),
    "UNAVAILABLE": (
        "The database is busy or away.",
        "Wait `retry_after_ms`, then repeat the call with the same idempotency key.",
    ),
    "STORAGE_FULL": (
        "The server has no room left to store this.",
        "Stop writing and tell the operator.",
    ),
}


def codes() -> list[type[PublicError]]:
    """One class per code, in the order of the page."""
    found = {kind.code: kind for kind in _all(PublicError) if "code" in kind.__dict__}
    known = [code for code in MEANINGS if code in found]
    return [found[code] for code in [*known, *sorted(found.keys() - set(known))]]


def _all(kind: type[PublicError]) -> Iterator[type[PublicError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _all(child)
