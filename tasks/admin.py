"""Operators look at tasks here. What carries state is read-only: changes go through operations."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from agentroom.core.admin import ReadOnlyAdmin
from agentroom.core.errors import PublicError
from identity.actors import SystemActor
from tasks.models import Dependency, Task, TaskHold, TaskRecord
from tasks.operations.release import release_by_operator


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    """Not the long texts: they are the room's."""

    list_display = ("id", "title", "room", "status", "assignee", "fence", "lease_expires_at", "archived_at")
    list_filter = ("status", "lock_policy", "consent")
    search_fields = ("=id", "=room__id", "title", "=assignee__plate")
    list_select_related = ("room", "assignee")
    exclude = ("definition_of_done", "detail", "reason")
    actions = ("release",)

    @admin.action(
        description="Release the selected tasks: back to todo, still the same agent's", permissions=["operate"]
    )
    def release(self, request: HttpRequest, queryset: QuerySet[Task]) -> None:
        operator = SystemActor(operator_id=str(request.user.pk), request_id=getattr(request, "request_id", ""))
        for task_id in queryset.values_list("pk", flat=True):
            try:
                release_by_operator(operator, task_id=task_id)
            except PublicError as refusal:
                self.message_user(request, f"{task_id}: {refusal.message}", messages.WARNING)
            else:
                self.message_user(request, f"{task_id} is released.")


@admin.register(Dependency)
class DependencyAdmin(ReadOnlyAdmin):
    list_display = ("task", "prerequisite", "position")
    search_fields = ("=task__id", "=prerequisite__id")
    list_select_related = ("task", "prerequisite")


@admin.register(TaskRecord)
class TaskRecordAdmin(ReadOnlyAdmin):
    list_display = ("task", "agent", "fence", "status", "created_at")
    list_filter = ("status",)
    search_fields = ("=task__id", "=agent__plate")
    list_select_related = ("task", "agent")
    exclude = ("summary", "handoff_notes", "next")


@admin.register(TaskHold)
class TaskHoldAdmin(ReadOnlyAdmin):
    list_display = ("task", "fence", "agent", "instance", "since")
    search_fields = ("=task__id", "=agent__plate", "=instance")
    list_select_related = ("task", "agent")
