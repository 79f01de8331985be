"""The one registry of public errors: a code, a status and a sentence that says what to do next."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar

DOCS_PATH = "/reference/errors"


class Category(StrEnum):
    CALLER = "caller"
    AUTH = "auth"
    PERMISSION = "permission"
    STATE = "state"
    TRANSIENT = "transient"
    SERVER = "server"


class PublicError(Exception):
    """A failure that may be shown to whoever caused it (agent-room.md 9).

    `message` is one safe sentence; `fields` maps an input name to what is wrong with it; `facts` are further
    public members of the body (for example `retry_after_ms`). Never put raw arguments or secrets in any of them.
    """

    code: ClassVar[str] = "INTERNAL"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    category: ClassVar[Category] = Category.SERVER
    lower_code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, fields: dict[str, str] | None = None, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields or {}
        self.facts = facts

    def body(self, request_id: str, error_id: str) -> dict[str, Any]:
        """The public error object, the same over MCP, REST and the board."""
        body: dict[str, Any] = {
            "code": self.code,
            "status": self.status,
            "message": self.message,
            "request_id": request_id,
            "error_id": error_id,
            "retryable": self.retryable,
            "docs_url": f"{DOCS_PATH}#{self.code}",
            **{name: value for name, value in self.facts.items() if value is not None},
        }
        if self.fields:
            body["fields"] = self.fields
        return body


class Validation(PublicError):
    code, status, category, lower_code = "VALIDATION", 400, Category.CALLER, "invalid_input"


class IdentityRequired(PublicError):
    code, status, category, lower_code = "IDENTITY_REQUIRED", 401, Category.AUTH, "unauthorized"


class InvalidPassport(PublicError):
    code, status, category, lower_code = "INVALID_PASSPORT", 401, Category.AUTH, "unauthorized"


class Revoked(PublicError):
    code, status, category, lower_code = "REVOKED", 401, Category.AUTH, "unauthorized"


class ForbiddenScope(PublicError):
    code, status, category, lower_code = "FORBIDDEN_SCOPE", 403, Category.PERMISSION, "forbidden"


class Forbidden(PublicError):
    code, status, category, lower_code = "FORBIDDEN", 403, Category.PERMISSION, "forbidden"


class NotAMember(PublicError):
    code, status, category, lower_code = "NOT_A_MEMBER", 403, Category.PERMISSION, "forbidden"


class NoGrant(PublicError):
    code, status, category, lower_code = "NO_GRANT", 403, Category.PERMISSION, "forbidden"


class ReauthenticationRequired(PublicError):
    code, status, category = "REAUTHENTICATION_REQUIRED", 403, Category.AUTH
    lower_code = "reauthentication_required"


class NotFound(PublicError):
    code, status, category, lower_code = "NOT_FOUND", 404, Category.CALLER, "not_found"


class MethodNotAllowed(PublicError):
    """REST only: the address exists, the verb does not."""

    code, status, category, lower_code = "METHOD_NOT_ALLOWED", 405, Category.CALLER, "method_not_allowed"


class Conflict(PublicError):
    code, status, category, lower_code = "CONFLICT", 409, Category.STATE, "conflict"


class Overtaken(Conflict):
    """Somebody else was faster: what the caller saw has changed, so looking again and repeating may succeed."""


class ThreadNotActive(PublicError):
    code, status, category, lower_code = "THREAD_NOT_ACTIVE", 409, Category.STATE, "conflict"


class UploadNotComplete(PublicError):
    code, status, category, lower_code = "UPLOAD_NOT_COMPLETE", 409, Category.STATE, "conflict"
    retryable = True


class StaleLease(PublicError):
    code, status, category, lower_code = "STALE_LEASE", 409, Category.STATE, "stale_lease"


class VersionGap(PublicError):
    code, status, category, lower_code = "VERSION_GAP", 409, Category.STATE, "version_gap"


class TooLarge(PublicError):
    code, status, category, lower_code = "TOO_LARGE", 413, Category.CALLER, "too_large"


class RateLimited(PublicError):
    code, status, category, lower_code = "RATE_LIMITED", 429, Category.TRANSIENT, "rate_limited"
    retryable = True


class LimitReached(PublicError):
    code, status, category, lower_code = "LIMIT_REACHED", 429, Category.STATE, "limit_reached"


class Internal(PublicError):
    code, status, category, lower_code = "INTERNAL", 500, Category.SERVER, "internal"
    retryable = True


class Unavailable(PublicError):
    code, status, category, lower_code = "UNAVAILABLE", 503, Category.TRANSIENT, "unavailable"
    retryable = True


class StorageFull(PublicError):
    code, status, category, lower_code = "STORAGE_FULL", 507, Category.SERVER, "storage_full"
