"""Every act that changes something, made once: what does it, who does it, and what the audit row must be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.sessions.backends.db import SessionStore

from identity.actors import SystemActor
from identity.authentication import v1_resource
from identity.operations import accounts, agents, credentials, keys, passports, signin
from identity.operations.signin import Device
from rooms.inputs import MentionTarget
from rooms.models import Mention, MentionKind
from rooms.operations import invites, members, mentions, messages, rooms, trust, workspace
from tasks.operations import archive, assign, claim, complete, create, edit, release, reorder, status
from tests import factories

# Operations that leave no audit row, and why.
UNAUDITED = {
    "note_presence": "presence is seen, not decided",
    "renew_lease": "a heartbeat: it moves nothing but the end of a lease",
    "note_mailed": "a note to ourselves that a letter went out",
    "clear_away": "clears what has ended already",
    "forget_receipts": "clears answers nobody repeats any more",
    "notice_stale": "one notice per episode, proven in tests/tasks/test_stale.py",
}
# Acts that other acts in this table make in passing, or that have a table of their own in tests/identity.
ELSEWHERE = {
    "note_account_change": "tests/identity/test_account_changes.py",
    "renew_verification": "tests/identity/test_sessions.py",
    "sign_out": "tests/identity/test_sessions.py",
    "end_session": "tests/identity/test_sessions.py",
    "end_other_sessions": "tests/identity/test_sessions.py",
    "end_all_sessions": "tests/identity/test_sessions.py",
}


@dataclass(frozen=True)
class Act:
    """`make(stage)` performs `operation` once. `act` is the name of its one audit row."""

    operation: Callable[..., Any]
    make: Callable[[Stage], Any]
    act: str


class Stage:
    """The cast with what acts need: actors, and a task of scout's in each status on demand."""

    def __init__(self, cast: Any) -> None:
        self.cast = cast
        self.room = cast.harbour.pk
        self.ada = factories.signed_in(cast.ada)
        self.grace = factories.signed_in(cast.grace)
        self.scout = factories.actor_of(cast.scout)
        self.system = SystemActor(request_id="req_acts")
        self.spare = factories.make_agent(cast.ada, "spare")
        self.empty = factories.make_room("Empty", admin=cast.ada)

    def task(self, state: str = "todo", **fields: Any) -> str:
        made = factories.make_task(
            self.cast.harbour, creator=self.cast.scout, assignee=self.cast.scout, status=state, **fields
        )
        return str(made.pk)

    def mention(self) -> str:
        sent = messages.send_message(
            self.ada, room=self.room, body="Look", mention_targets=[MentionTarget(plate=self.cast.scout.plate)]
        )
        assert Mention.objects.get(pk=sent.deliveries[0].mention_id).kind == MentionKind.MESSAGE
        return sent.deliveries[0].mention_id

    def with_repository(self) -> str:
        """The room, once it points at a repository: only then may a token be kept for it."""
        workspace.set_workspace(self.ada, room=self.room, url="https://git.example/boat.git")
        return str(self.room)

    def invited(self) -> Any:
        return invites.invite(self.ada, room=self.empty.pk, kind="human_link")


def _last(operation: Callable[..., Any], act: str) -> Callable[[Callable[[Stage], Callable[[], Any]]], Act]:
    """An act that needs something done first: the function prepares and returns the act itself."""
    return lambda prepare: Act(operation, prepare, act)


TOKEN = "pat_0123456789abcdef"
NEW_TASK = {"title": "Caulk the seams", "definition_of_done": "No water comes in."}

ACTS = [
    _last(accounts.open_account, "account.open")(
        lambda s: lambda: accounts.open_account(s.system, email="new@example.test", name="newcomer")
    ),
    _last(accounts.rename_account, "account.rename")(lambda s: lambda: accounts.rename_account(s.ada, name="ada two")),
    _last(accounts.vouch_for_account, "account.vouch")(
        lambda s: lambda: accounts.vouch_for_account(s.system, owner_id=s.cast.grace.pk, verified=False)
    ),
    _last(accounts.suspend_account, "account.suspend")(
        lambda s: lambda: accounts.suspend_account(s.system, owner_id=s.cast.grace.pk)
    ),
    _last(accounts.restore_account, "account.restore")(
        lambda s: (
            accounts.suspend_account(s.system, owner_id=s.cast.grace.pk),
            lambda: accounts.restore_account(s.system, owner_id=s.cast.grace.pk),
        )[1]
    ),
    _last(accounts.delete_account, "account.delete")(lambda s: lambda: accounts.delete_account(s.grace)),
    _last(agents.make_agent, "agent.make")(lambda s: lambda: agents.make_agent(s.ada, name="newbie")),
    _last(agents.rename_agent, "agent.rename")(
        lambda s: lambda: agents.rename_agent(s.ada, plate=s.spare.plate, name="other")
    ),
    _last(agents.set_scopes, "agent.scopes")(
        lambda s: lambda: agents.set_scopes(s.ada, plate=s.spare.plate, scopes=["READ"])
    ),
    _last(agents.set_host, "agent.host")(lambda s: lambda: agents.set_host(s.ada, plate=s.spare.plate, host="codex")),
    _last(agents.set_may_turn_trust_on, "agent.may_turn_trust_on")(
        lambda s: lambda: agents.set_may_turn_trust_on(s.ada, plate=s.spare.plate, allowed=True)
    ),
    _last(agents.revoke_agent, "agent.revoke")(lambda s: lambda: agents.revoke_agent(s.ada, plate=s.spare.plate)),
    _last(credentials.mint_credential, "credential.mint")(
        lambda s: lambda: credentials.mint_credential(s.ada, plate=s.spare.plate)
    ),
    _last(credentials.revoke_credential, "credential.revoke")(
        lambda s: (lambda made: lambda: credentials.revoke_credential(s.ada, credential_id=made.credential.pk))(
            factories.make_credential(s.spare)
        )
    ),
    _last(passports.mint_passport, "passport.mint")(
        lambda s: lambda: passports.mint_passport(s.scout, resource=v1_resource())
    ),
    _last(keys.make_first_key, "key.make")(lambda s: lambda: keys.make_first_key(s.system)),
    _last(keys.rotate_keys, "key.rotate")(lambda s: lambda: keys.rotate_keys(s.system)),
    _last(signin.make_sign_in_link, "account.sign_in_link")(
        lambda s: lambda: signin.make_sign_in_link(s.system, owner_id=s.cast.ada.pk)
    ),
    _last(signin.use_sign_in_link, "account.sign_in_link_used")(
        lambda s: (lambda link: lambda: signin.use_sign_in_link(s.system, token=link.token))(
            signin.make_sign_in_link(s.system, owner_id=s.cast.ada.pk)
        )
    ),
    _last(signin.begin_session, "session.sign_in")(
        lambda s: (
            lambda: signin.begin_session(
                factories.human_of(s.cast.ada),
                session=_fresh_session(),
                method="password",
                device=Device(address="127.0.0.1", user_agent="a browser"),
            )
        )
    ),
    _last(invites.invite, "invite.issue")(lambda s: s.invited),
    _last(invites.revoke_invite, "invite.revoke")(
        lambda s: (lambda made: lambda: invites.revoke_invite(s.ada, room=s.empty.pk, invite_id=made.invite_id))(
            s.invited()
        )
    ),
    _last(invites.accept_invite, "invite.accept")(
        lambda s: (lambda made: lambda: invites.accept_invite(s.grace, token=made.token))(s.invited())
    ),
    _last(members.leave_room, "member.leave")(lambda s: lambda: members.leave_room(s.grace, room=s.room)),
    _last(members.remove_member, "member.remove")(
        lambda s: lambda: members.remove_member(s.ada, room=s.room, owner_id=s.cast.grace.pk)
    ),
    _last(members.set_role, "member.role")(
        lambda s: lambda: members.set_role(s.ada, room=s.room, owner_id=s.cast.grace.pk, role="admin")
    ),
    _last(members.add_agent, "agent.add")(lambda s: lambda: members.add_agent(s.ada, room=s.room, plate=s.spare.plate)),
    _last(members.remove_agent, "agent.remove")(
        lambda s: lambda: members.remove_agent(s.ada, room=s.room, plate=s.cast.forge.plate)
    ),
    _last(mentions.ack_mentions, "mention.ack")(
        lambda s: (lambda found: lambda: mentions.ack_mentions(s.scout, mention_ids=[found]))(s.mention())
    ),
    _last(messages.send_message, "message.send")(
        lambda s: lambda: messages.send_message(s.scout, room=s.room, body="Ahoy")
    ),
    _last(messages.retract_message, "message.retract")(
        lambda s: (lambda sent: lambda: messages.retract_message(s.scout, room=s.room, message_id=sent.message_id))(
            messages.send_message(s.scout, room=s.room, body="Oops")
        )
    ),
    _last(rooms.create_room, "room.create")(lambda s: lambda: rooms.create_room(s.ada, name="New quay")),
    _last(rooms.rename_room, "room.rename")(lambda s: lambda: rooms.rename_room(s.ada, room=s.room, name="Quay")),
    _last(rooms.set_room_status, "room.status")(
        lambda s: lambda: rooms.set_room_status(s.ada, room=s.room, status="stopped")
    ),
    _last(rooms.pause_room, "room.status")(lambda s: lambda: rooms.pause_room(s.system, room=s.room)),
    _last(rooms.resume_room, "room.status")(
        lambda s: (lambda _: lambda: rooms.resume_room(s.system, room=s.room))(rooms.pause_room(s.system, room=s.room))
    ),
    _last(rooms.edit_focus, "focus.edit")(
        lambda s: lambda: rooms.edit_focus(s.ada, room=s.room, objective="Sail", expected_revision=1)
    ),
    _last(rooms.edit_room_document, "room.document")(
        lambda s: lambda: rooms.edit_room_document(s.ada, room=s.room, content="# Rules", expected_version=0)
    ),
    _last(trust.set_trust, "trust.on")(lambda s: lambda: trust.set_trust(s.ada, room=s.room, on=True)),
    _last(trust.relay_consent, "trust.off")(
        lambda s: (
            factories.set_trust(s.cast.harbour, s.cast.ada),
            lambda: trust.set_room_consent(s.scout, room=s.room, mode="blocked"),
        )[1]
    ),
    _last(trust.dismiss_trust_request, "trust_request.dismiss")(
        lambda s: (_ask_for_trust(s), lambda: trust.dismiss_trust_request(s.ada, room=s.room))[1]
    ),
    _last(workspace.set_workspace, "workspace.set")(
        lambda s: lambda: workspace.set_workspace(s.ada, room=s.room, url="https://git.example/boat.git")
    ),
    _last(workspace.set_workspace_token, "workspace.token.set")(
        lambda s: (lambda room: lambda: workspace.set_workspace_token(s.ada, room=room, token=TOKEN))(
            s.with_repository()
        )
    ),
    _last(workspace.remove_workspace_token, "workspace.token.remove")(
        lambda s: (
            workspace.set_workspace_token(s.ada, room=s.with_repository(), token=TOKEN),
            lambda: workspace.remove_workspace_token(s.ada, room=s.room),
        )[1]
    ),
    _last(archive.archive_task, "task.archive")(
        lambda s: (lambda t: lambda: archive.archive_task(s.scout, task_id=t))(s.task("done"))
    ),
    _last(archive.unarchive_task, "task.unarchive")(
        lambda s: (
            lambda t: (
                archive.archive_task(s.scout, task_id=t),
                lambda: archive.unarchive_task(s.ada, task_id=t),
            )[1]
        )(s.task("done"))
    ),
    _last(assign.assign_task, "task.assign")(
        lambda s: (lambda t: lambda: assign.assign_task(s.ada, task_id=t, assignee=s.cast.forge.plate))(s.task("doing"))
    ),
    _last(claim.take_task, "task.claim")(lambda s: (lambda t: lambda: claim.claim_task(s.scout, task_id=t))(s.task())),
    _last(complete.complete_task, "task.complete")(
        lambda s: (
            lambda t: (
                lambda: complete.complete_task(
                    s.scout, task_id=t, status="done", summary="Did it", handoff_notes="All of it"
                )
            )
        )(s.task("doing", instance_id=s.scout.instance_id))
    ),
    _last(create.create_task, "task.create")(lambda s: lambda: create.create_task(s.scout, room=s.room, **NEW_TASK)),
    _last(edit.update_task, "task.update")(
        lambda s: (lambda t: lambda: edit.update_task(s.scout, task_id=t, title="Another"))(s.task())
    ),
    _last(release.release_task, "task.release")(
        lambda s: (lambda t: lambda: release.release_task(s.scout, task_id=t))(
            s.task("doing", instance_id=s.scout.instance_id)
        )
    ),
    _last(release.force_release, "task.force_release")(
        lambda s: (lambda t: lambda: release.force_release(s.ada, task_id=t))(s.task("doing"))
    ),
    _last(release.release_by_operator, "task.force_release")(
        lambda s: (lambda t: lambda: release.release_by_operator(s.system, task_id=t))(s.task("doing"))
    ),
    _last(reorder.reorder_task, "task.reorder")(
        lambda s: (lambda first, second: lambda: reorder.reorder_task(s.ada, task_id=second, before=first))(
            s.task(order=1000), s.task(order=2000)
        )
    ),
    _last(status.set_status, "task.set_status")(
        lambda s: (lambda t: lambda: status.set_status(s.scout, task_id=t, status="blocked", reason="No paint"))(
            s.task("doing", instance_id=s.scout.instance_id)
        )
    ),
]


def _fresh_session() -> SessionStore:
    session = SessionStore()
    session.create()
    return session


def _ask_for_trust(stage: Stage) -> None:
    try:
        trust.set_room_consent(stage.scout, room=stage.room, mode="trust_room")
    except Exception as refused:
        assert refused.__class__.__name__ == "Forbidden"
