"""Operators look at tasks in the admin and release one there; everything else goes through the room."""

from __future__ import annotations

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse

from agentroom.core.models import AuditRow
from identity.models import Owner

LISTS = ["task", "dependency", "taskrecord", "taskhold"]


@pytest.fixture
def operator(client, db):
    person = Owner.objects.create_superuser("operator@example.test", name="operator one")
    client.force_login(person)
    return client


@pytest.mark.parametrize("model", LISTS)
def test_every_list_opens_and_offers_no_way_to_add(operator, held, model):
    page = operator.get(reverse(f"admin:tasks_{model}_changelist"))

    assert page.status_code == 200
    assert operator.get(reverse(f"admin:tasks_{model}_add")).status_code == 403


def test_a_task_s_page_is_read_only_and_shows_no_long_text(operator, held):
    page = operator.get(reverse("admin:tasks_task_change", args=[held.pk])).content.decode()

    assert held.definition_of_done not in page
    assert 'name="status"' not in page


def test_an_operator_releases_a_held_task_and_is_told_of_one_that_is_not(operator, held, task):
    chosen = {"action": "release", ACTION_CHECKBOX_NAME: [held.pk, task.pk]}

    page = operator.post(reverse("admin:tasks_task_changelist"), chosen, follow=True).content.decode()

    held.refresh_from_db()
    assert (held.status, held.fence) == ("todo", 2)
    assert f"{held.pk} is released" in page
    assert "only a task that is doing can be released" in page
    assert AuditRow.objects.get(record_id=held.pk).actor_key.startswith("operator:")
