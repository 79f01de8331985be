"""The composer: structured targets, a refused message that is not lost, and what is taken back."""

from __future__ import annotations

from rooms.models import Mention, Message
from rooms.operations.mentions import ack_mentions
from tests import factories
from tests.board.conftest import Browse
from tests.clients import committed
from tests.conftest import Cast


def test_a_message_tells_exactly_whom_it_ticks(cast: Cast, browse: Browse):
    say = f"/rooms/{cast.harbour.pk}/messages"
    form = {"body": "@forge(ada) and quill, look", "target": [f"plate:{cast.quill.plate}", f"human:{cast.grace.pk}"]}
    with committed():
        answer = browse(cast.ada).post(say, form)
    assert answer["Location"] == f"/rooms/{cast.harbour.pk}#composer"
    assert set(Mention.objects.values_list("agent__name", "owner__name")) == {("quill", None), (None, cast.grace.name)}


def test_line_ends_are_stored_as_they_were_typed(cast: Cast, browse: Browse):
    with committed():
        browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/messages", {"body": "one\r\ntwo\r\n\r\nthree"})
    assert Message.objects.get().body == "one\ntwo\n\nthree"


def test_a_refused_message_stays_in_the_composer_with_who_was_ticked(cast: Cast, browse: Browse):
    body = "x" * 33_000
    form = {"body": body, "target": [f"plate:{cast.scout.plate}"]}
    answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/messages", form)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert body in page
    assert f'value="plate:{cast.scout.plate}" checked' in page
    assert "32768 bytes, got 33000" in page
    assert not Message.objects.exists()


def test_an_unknown_target_sends_nothing_and_keeps_the_words(cast: Cast, browse: Browse):
    answer = browse(cast.ada).post(
        f"/rooms/{cast.harbour.pk}/messages", {"body": "Kept words", "target": ["plate:BRNL-AGT-00000000"]}
    )
    assert answer.status_code == 404
    assert "Kept words" in answer.content.decode()
    assert not Message.objects.exists()


def test_a_form_sent_twice_says_it_once(cast: Cast, browse: Browse):
    client, form = browse(cast.ada), {"body": "Once", "key": "a-key-of-this-form"}
    with committed():
        client.post(f"/rooms/{cast.harbour.pk}/messages", form)
        client.post(f"/rooms/{cast.harbour.pk}/messages", form)
    assert Message.objects.count() == 1


def test_a_reply_names_what_it_answers(cast: Cast, browse: Browse, message: Message):
    client = browse(cast.ada)
    page = client.get(f"/rooms/{cast.harbour.pk}?reply={message.pk}").content.decode()
    assert f'name="parent_id" value="{message.pk}"' in page
    with committed():
        client.post(f"/rooms/{cast.harbour.pk}/messages", {"body": "Aye", "parent_id": message.pk})
    assert Message.objects.get(body="Aye").parent_id == message.pk


def test_people_write_to_a_paused_room_although_agents_cannot(cast: Cast, browse: Browse):
    cast.harbour.__class__.objects.filter(pk=cast.harbour.pk).update(status="paused")
    with committed():
        answer = browse(cast.ada).post(f"/rooms/{cast.harbour.pk}/messages", {"body": "Wait for me"})
    assert answer.status_code == 302
    assert "Paused" in browse(cast.ada).get(f"/rooms/{cast.harbour.pk}").content.decode()


def test_a_pull_brings_what_is_new_and_what_was_taken_back(cast: Cast, browse: Browse, message: Message):
    client, room = browse(cast.ada), f"/rooms/{cast.harbour.pk}"
    talk = client.get(room).context["talk"]
    shown = {"after": talk.last_seq, "at": talk.at.isoformat()}
    assert client.get(f"{room}/parts/talk", shown).status_code == 204
    with committed():
        client.post(f"{room}/messages", {"body": "Newer"})
        client.post(f"{room}/messages/{message.pk}/retraction")
    html = client.get(f"{room}/parts/talk", shown).content.decode()
    assert "Newer" in html
    assert "keel" not in html
    assert f'id="msg-{message.seq}" hx-swap-oob="true"' in html


def test_a_pull_with_nonsense_for_a_cursor_is_a_pull_from_the_start(cast: Cast, browse: Browse, message: Message):
    client, pull = browse(cast.ada), f"/rooms/{cast.harbour.pk}/parts/talk"
    for after, at in (("x", "y"), ("-1", "0"), ("9" * 30, "2026-01-01"), ("¹", "\x00")):
        assert client.get(pull, {"after": after, "at": at}).status_code in {200, 204}


def test_the_talk_pages_back_to_its_beginning(cast: Cast, browse: Browse):
    now = cast.harbour.created_at
    Message.objects.bulk_create(
        Message(room=cast.harbour, seq=seq, agent=cast.scout, body=f"Line {seq}.", created_at=now)
        for seq in range(1, 121)
    )
    cast.harbour.__class__.objects.filter(pk=cast.harbour.pk).update(message_seq=120)
    client, seen, before = browse(cast.ada), [], "9999"
    while before:
        talk = client.get(f"/rooms/{cast.harbour.pk}/talk?before={before}").context["talk"]
        seen = [said.item.seq for said in talk.messages] + seen
        before = talk.older
    assert seen == list(range(1, 121))


def test_what_a_mention_will_do_is_said_before_it_is_sent(cast: Cast, browse: Browse):
    page = browse(cast.ada).get(f"/rooms/{cast.harbour.pk}")
    says = {one.name: one.says for one in page.context["addressees"]}
    assert says == {
        "forge(ada)": "in its inbox; waking is off",
        "scout(ada)": "in its inbox; waking is off",
        "quill(grace)": "in its inbox; not woken, Trust is off",
        "grace": "gets it here",
    }
    factories.set_trust(cast.harbour, cast.grace)
    page = browse(cast.ada).get(f"/rooms/{cast.harbour.pk}")
    assert {one.says for one in page.context["addressees"] if one.name == "quill(grace)"} == {
        "in its inbox; waking is off"
    }


def test_a_pull_shows_that_a_mention_was_handled(cast: Cast, browse: Browse):
    client, room = browse(cast.ada), f"/rooms/{cast.harbour.pk}"
    with committed():
        client.post(f"{room}/messages", {"body": "scout, look", "target": [f"plate:{cast.scout.plate}"]})
    talk = client.get(room).context["talk"]
    with committed():
        ack_mentions(factories.actor_of(cast.scout), mention_ids=[Mention.objects.get().pk])
    html = client.get(f"{room}/parts/talk", {"after": talk.last_seq, "at": talk.at.isoformat()}).content.decode()
    assert "@scout(ada) · handled" in html
