"""Operators look at rooms here, not at what is said in them. Read-only: changes go through operations."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from agentroom.core.admin import ReadOnlyAdmin
from agentroom.core.errors import PublicError
from identity.actors import SystemActor
from rooms.models import AgentMember, Invite, Member, Mention, Message, Notebook, Room, TrustRequest
from rooms.operations.rooms import pause_room, resume_room
from rooms.outputs import RoomState


@admin.register(Room)
class RoomAdmin(ReadOnlyAdmin):
    list_display = ("name", "status", "created_by", "created_at", "message_seq", "board_version")
    list_filter = ("status",)
    search_fields = ("=id", "name", "created_by__email")
    list_select_related = ("created_by",)
    exclude = (
        "document",
        "workspace_path",
        "workspace_url",
        "workspace_branch",
        "workspace_token_encrypted",
        "workspace_token_tail",
    )
    actions = ("pause", "resume")

    @admin.action(description="Pause the selected rooms: agents read and do not write", permissions=["operate"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Room]) -> None:
        self._each(request, queryset, pause_room)

    @admin.action(description="Resume the selected rooms: paused ones are active again", permissions=["operate"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Room]) -> None:
        self._each(request, queryset, resume_room)

    def _each(self, request: HttpRequest, queryset: QuerySet[Room], change: Callable[..., RoomState]) -> None:
        operator = SystemActor(operator_id=str(request.user.pk), request_id=getattr(request, "request_id", ""))
        for room_id, name in queryset.values_list("pk", "name"):
            try:
                status = change(operator, room=room_id).status
            except PublicError as refusal:
                self.message_user(request, f"{name}: {refusal.message}", messages.WARNING)
            else:
                self.message_user(request, f"{name} is {status}.")


@admin.register(Member)
class MemberAdmin(ReadOnlyAdmin):
    list_display = ("room", "owner", "role", "trusts_others", "joined_at", "left_at")
    list_filter = ("role", "trusts_others")
    search_fields = ("=room__id", "room__name", "owner__email", "owner__handle")
    list_select_related = ("room", "owner")


@admin.register(AgentMember)
class AgentMemberAdmin(ReadOnlyAdmin):
    list_display = ("room", "agent", "joined_at", "left_at", "last_spoke_at")
    search_fields = ("=room__id", "room__name", "=agent__plate", "agent__name")
    list_select_related = ("room", "agent")


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ("id", "room", "seq", "agent", "owner", "created_at", "retracted_at")
    search_fields = ("=id", "=room__id")
    list_select_related = ("room", "agent", "owner")
    exclude = ("body",)


@admin.register(Mention)
class MentionAdmin(ReadOnlyAdmin):
    list_display = ("id", "room", "kind", "agent", "owner", "outcome", "created_at", "delivered_at", "acked_at")
    list_filter = ("kind", "outcome")
    search_fields = ("=id", "=room__id", "=agent__plate", "=task_id")
    list_select_related = ("room", "agent", "owner")
    exclude = ("excerpt",)


@admin.register(Invite)
class InviteAdmin(ReadOnlyAdmin):
    list_display = ("id", "room", "kind", "target", "role", "state", "created_by", "created_at", "expires_at")
    list_filter = ("state", "kind")
    search_fields = ("=id", "=room__id", "target")
    list_select_related = ("room", "created_by")
    exclude = ("token_hash", "mail_token_encrypted")


@admin.register(Notebook)
class NotebookAdmin(ReadOnlyAdmin):
    list_display = ("room", "revision", "updated_at")
    exclude = ("objective",)
    search_fields = ("=room__id", "room__name")
    list_select_related = ("room",)


@admin.register(TrustRequest)
class TrustRequestAdmin(ReadOnlyAdmin):
    list_display = ("room", "owner", "agent", "asked_at", "settled_at")
    search_fields = ("=room__id", "owner__email", "=agent__plate")
    list_select_related = ("room", "owner", "agent")
