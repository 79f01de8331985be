"""Operators read the audit chains and the receipts; nobody edits them. Other apps build on the read-only page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from agentroom.core.models import AuditRow, IdempotentReceipt

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Any]
else:
    Base = admin.ModelAdmin  # generic for the type checker only


class ReadOnlyAdmin(Base):
    """Everything can be looked up; what can be done is an action that calls an operation."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """For `@admin.action(permissions=["operate"])`."""
        return bool(request.user.is_active and request.user.is_superuser)


@admin.register(AuditRow)
class AuditRowAdmin(ReadOnlyAdmin):
    list_display = ["chain", "seq", "at", "actor_kind", "actor_key", "act", "record_kind", "record_id", "request_id"]
    search_fields = ["=chain", "actor_key", "act", "=record_id", "=request_id"]
    search_help_text = "Chain (a room id, or “server”), actor, act, record id or request id"
    ordering = ["-pk"]


@admin.register(IdempotentReceipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """Not the answers: they hold what people and agents wrote."""

    list_display = ["actor_key", "operation", "key", "created_at"]
    search_fields = ["=actor_key", "=operation", "=key"]
    fields = ["actor_key", "operation", "key", "digest", "created_at"]
    ordering = ["-pk"]
