"""What a person reads when something is refused: a headline that fits, a sentence for people, their words kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest

from agentroom.board.headlines import MEANWHILE, headline
from agentroom.core.errors import Conflict, Overtaken, PublicError, Validation
from agentroom.gateway.codes import codes
from identity.models import Agent
from rooms.models import Member, Room
from tasks.models import Task
from tasks.operations.archive import archive_task
from tasks.operations.assign import assign_task
from tasks.operations.edit import update_task
from tasks.operations.release import force_release
from tasks.operations.status import set_status
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast

# What only an agent can make sense of.
FOR_AGENTS = re.compile(r"STALE_LEASE|fence|lease|Your write|under an earlier|[a-z]+_(task|status|board)\b")

Faster = Callable[[Cast, Task], object]


def gives_it_away(cast: Cast, task: Task) -> object:
    return assign_task(factories.human_of(cast.ada), task_id=task.pk, assignee=cast.scout.plate)


def takes_it(cast: Cast, task: Task) -> object:
    return force_release(factories.human_of(cast.ada), task_id=task.pk)


def cancels(cast: Cast, task: Task) -> object:
    return set_status(factories.human_of(cast.ada), task_id=task.pk, status="cancelled")


def reopens(cast: Cast, task: Task) -> object:
    return set_status(factories.human_of(cast.ada), task_id=task.pk, status="todo")


def puts_away(cast: Cast, task: Task) -> object:
    return archive_task(factories.human_of(cast.ada), task_id=task.pk)


def edits(cast: Cast, task: Task) -> object:
    return update_task(factories.human_of(cast.ada), task_id=task.pk, title="Theirs")


# What the second person does with a task in that status, after the first did something to it.
OVERTAKEN: list[tuple[str, str, Faster]] = [
    ("assignment", "doing", gives_it_away),
    ("assignment", "todo", cancels),
    ("release", "doing", takes_it),
    ("release", "doing", gives_it_away),
    ("release", "doing", cancels),
    ("cancellation", "doing", cancels),
    ("cancellation", "doing", gives_it_away),
    ("reopening", "failed", gives_it_away),
    ("reopening", "failed", reopens),
    ("reopening", "cancelled", puts_away),
    ("archive", "cancelled", reopens),
    ("archive", "failed", gives_it_away),
    ("place", "todo", edits),
    ("place", "todo", gives_it_away),
    ("edit", "todo", edits),
    ("edit", "todo", cancels),
]


@pytest.mark.parametrize("by_htmx", [False, True], ids=["plain", "htmx"])
@pytest.mark.parametrize(("act", "status", "faster"), OVERTAKEN)
def test_whoever_was_overtaken_reads_so_in_words_for_people(
    act: str, status: str, faster: Faster, by_htmx: bool, cast: Cast, browse: Browse
):
    task = factories.make_task(cast.harbour, "Mine", creator=cast.ada, assignee=cast.forge, status=status, order=2048)
    above = factories.make_task(cast.harbour, "Above", creator=cast.ada, assignee=cast.forge, order=1024)
    client, seen = browse(cast.ada), f"fence={task.fence}&revision={task.revision}"
    with committed():
        faster(cast, task)
    task.refresh_from_db()
    form = {"assignee": cast.quill.plate, "before": above.pk, "title": "Ours", "definition_of_done": "It floats."}
    form |= {"revision": "1"}
    headers = {"HX-Request": "true"} if by_htmx else {}
    answer = client.post(f"/rooms/{cast.harbour.pk}/tasks/{task.pk}/{act}?{seen}", form, headers=headers)
    said = told(answer.content.decode())
    assert answer.status_code == 409, said
    assert said.startswith("Somebody "), said
    assert not FOR_AGENTS.search(said)
    if not by_htmx and act != "edit":
        assert f"<h1>{MEANWHILE}</h1>" in answer.content.decode()
    assert Task.objects.filter(pk=task.pk, revision=task.revision).exists()


def test_a_card_dropped_above_one_that_has_left_the_lane_is_told_so(cast: Cast, browse: Browse):
    task = factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.forge, order=2048)
    left = factories.make_task(cast.harbour, creator=cast.ada, assignee=cast.scout, order=1024)
    form = {"before": left.pk, "revision": "1"}
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/tasks/{task.pk}/place", form)
    assert answer.status_code == 409
    assert "has just left the lane" in told(answer.content.decode())


def test_the_headline_says_that_things_changed_only_where_looking_again_helps():
    assert headline(Overtaken("Somebody was faster.")) == MEANWHILE
    meanwhile = {kind.code for kind in codes() if headline(kind("…")) == MEANWHILE}
    assert meanwhile == {"STALE_LEASE", "VERSION_GAP"}
    assert headline(Conflict("Revoked is final.")) != MEANWHILE


@pytest.mark.parametrize("kind", [PublicError, Overtaken, *codes()], ids=lambda kind: kind.__name__)
def test_every_refusal_has_words_above_it(kind: type[PublicError]):
    assert re.fullmatch(r"[A-Z][a-z]*( [a-z]+)*", headline(kind("…")))


def test_a_final_refusal_is_not_blamed_on_a_change(cast: Cast, browse: Browse):
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/members/leave")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "The last admin" in page
    assert MEANWHILE not in page


@pytest.mark.parametrize("path", ["/nowhere", "/rooms/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/agents/BRNL-AGT-00000000"])
def test_the_title_of_a_refusal_is_its_headline_and_no_code(path: str, cast: Cast, browse: Browse):
    page = browse(cast.ada).get(path).content.decode()
    title = re.search(r"<title>([^<]*)</title>", page)
    assert title[1] == "Not here · Agent Room"
    assert "<h1>Not here</h1>" in page


# Every form with a box to type into, what is refused of it, and what was typed beside that.
TYPED = [
    ("/", {"name": "x" * 65, "objective": "Kept focus"}),
    ("/agents", {"name": "no @ here", "host": "codex"}),
    ("/agents/{plate}/name", {"name": "no @ here"}),
    ("/agents/{plate}/credentials", {"label": "y" * 65, "host": "codex"}),
    ("/account/name", {"name": "no @ here"}),
    ("{room}/invites", {"kind": "human_email", "target": "no address", "role": "admin"}),
    ("{room}/settings/name", {"name": "x" * 65}),
    ("{room}/settings/focus", {"objective": "Kept focus", "expected_revision": "9"}),
    ("{room}/settings/document", {"content": "Kept rules", "expected_version": "9"}),
    ("{room}/settings/workspace", {"path": "/kept", "url": "http://plain.example/x.git", "branch": "kept"}),
    ("{room}/tasks/new", {"title": "Kept", "definition_of_done": "", "detail": "Kept too", "spec_ref": "msg:kept"}),
    ("{room}/tasks/{task}/edit", {"title": "Kept", "definition_of_done": "", "detail": "Kept too", "revision": "1"}),
    ("{room}/messages", {"body": "Kept words", "target": "plate:BRNL-AGT-00000000"}),
]
NOT_TYPED = {"host", "kind", "role", "revision", "expected_revision", "expected_version", "target"}


@pytest.mark.parametrize(("path", "form"), TYPED, ids=[path for path, _ in TYPED])
def test_a_refused_form_comes_back_as_it_was_filled_in(
    path: str, form: dict[str, str], cast: Cast, task: Task, browse: Browse
):
    place = path.format(room=f"/rooms/{cast.harbour.pk}", plate=cast.scout.plate, task=task.pk)
    answer = browse(cast.ada).post(place, form)
    page = answer.content.decode()
    assert 400 <= answer.status_code < 500
    for name, value in form.items():
        if name not in NOT_TYPED:
            assert re.search(
                rf'name="{name}"[^>]*value="{re.escape(value)}"|<textarea[^>]*name="{name}"[^>]*>\n?{value}<', page
            ), name
    for chosen in ("codex", "human_email", "admin"):
        if chosen in form.values():
            assert re.search(rf'value="{chosen}" (selected|checked)', page), chosen


# Every choice that a form offers, with one that it does not.
NONSENSE = [
    ("{room}/trust", {"on": "zz"}),
    ("{room}/trust", {}),
    ("{room}/trust", {"on": ""}),
    ("/agents/{plate}/trust", {"allowed": "zz"}),
    ("/agents/{plate}/scopes", {"scope": "zz"}),
    ("/agents", {"name": "bosun", "host": "zz"}),
    ("/agents/{plate}/credentials", {"host": "zz"}),
    ("/theme", {"theme": "zz"}),
    ("/theme", {}),
    ("{room}/settings/status", {"status": "zz"}),
    ("{room}/members/{grace}/role", {"role": "zz"}),
    ("{room}/invites", {"kind": "zz"}),
    ("{room}/invites", {"kind": "human_link", "role": "zz"}),
    ("{room}/messages", {"body": "Hi", "target": "zz:BRNL"}),
    ("{room}/tasks/{task}/assignment", {"assignee": "zz"}),
    ("{room}/tasks/{task}/place", {"before": "zz"}),
]


@pytest.mark.parametrize(("path", "form"), NONSENSE, ids=[f"{path} {urlencode(form)}" for path, form in NONSENSE])
def test_a_choice_that_is_not_offered_is_refused_and_changes_nothing(
    path: str, form: dict[str, str], cast: Cast, task: Task, browse: Browse
):
    factories.set_trust(cast.harbour, cast.ada)
    Agent.objects.filter(pk=cast.scout.pk).update(may_turn_trust_on=True)
    place = path.format(room=f"/rooms/{cast.harbour.pk}", plate=cast.scout.plate, task=task.pk, grace=cast.grace.pk)
    with committed():
        answer = browse(cast.ada).post(place, form)
    assert 400 <= answer.status_code < 500
    assert Member.objects.get(room=cast.harbour, owner=cast.ada).trusts_others
    assert Agent.objects.get(pk=cast.scout.pk).may_turn_trust_on
    assert Room.objects.get(pk=cast.harbour.pk).audit_seq == cast.harbour.audit_seq


def told(page: str) -> str:
    """The sentence of a refusal: the alert of a notice, or what stands below a headline."""
    found = re.search(r'role="alert"><p[^>]*>([^<]*)<|<p class="lede">([^<]*)<', page)
    assert found is not None, page[-800:]
    return (found[1] or found[2] or "").strip()


def test_a_refusal_names_the_fields_in_the_page(cast: Cast, browse: Browse):
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/trust", {"on": "zz"})
    assert "<b>on</b>" in answer.content.decode()
    assert headline(Validation("…")) in answer.content.decode()
