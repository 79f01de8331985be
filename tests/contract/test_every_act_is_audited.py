"""Each act leaves exactly one audit row of its own, in its chain, and a refused one leaves none (T-26, I-39)."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from agentroom.core.audit import first_broken
from agentroom.core.models import AuditRow
from tests.contract.acts import ACTS, ELSEWHERE, UNAUDITED, Act, Stage

pytestmark = pytest.mark.django_db


def operations() -> set[str]:
    found = set()
    for app in ("identity", "rooms", "tasks"):
        package = importlib.import_module(f"{app}.operations")
        for module in pkgutil.iter_modules(package.__path__):
            members = vars(importlib.import_module(f"{app}.operations.{module.name}"))
            found |= {name for name, member in members.items() if getattr(member, "is_operation", False)}
    return found


def test_every_operation_has_a_row_in_the_table_or_a_reason_to_have_none():
    named = {act.operation.__name__ for act in ACTS} | set(UNAUDITED) | set(ELSEWHERE)
    assert operations() == named


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.operation.__name__)
def test_an_act_leaves_exactly_one_row_that_names_actor_and_record(cast, act: Act):
    perform = act.make(Stage(cast))
    known = set(AuditRow.objects.values_list("pk", flat=True))

    perform()

    rows = [row for row in AuditRow.objects.exclude(pk__in=known).order_by("pk") if row.act == act.act]
    assert len(rows) == 1, [row.act for row in AuditRow.objects.exclude(pk__in=known)]
    assert rows[0].actor_key and rows[0].record_kind and rows[0].record_id
    assert first_broken(rows[0].chain) is None
