"""The addresses of the people's door."""

from __future__ import annotations

from django.urls import path, register_converter

from agentroom.board import (
    agents,
    appearance,
    assignments,
    invites,
    live,
    members,
    messages,
    needs_you,
    pages,
    parts,
    search,
    sessions,
    settings,
    tasks,
    trust,
)


class Ulid:
    regex = "[0-9A-HJKMNP-TV-Z]{26}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Ulid, "ulid")

ROOM = "rooms/<ulid:room_id>"
TASK = f"{ROOM}/tasks/<ulid:task_id>"
AGENT = "agents/<str:plate>"

urlpatterns = [
    path("", pages.rooms, name="rooms"),
    path("theme", appearance.theme, name="theme"),
    path("needs-you", needs_you.needs_you, name="needs you"),
    path("needs-you/count", needs_you.count, name="needs you count"),
    path("needs-you/mentions/<ulid:mention_id>/read", needs_you.read, name="mention read"),
    path("search", search.search, name="search"),
    path("sign-in/<str:token>", sessions.link, name="sign-in link"),
    path("account", sessions.account, name="account"),
    path("account/name", sessions.rename, name="account name"),
    path("account/verify", sessions.verify, name="verify again"),
    path("account/sessions/others/end", sessions.end_others, name="end other sessions"),
    path("account/sessions/<str:session_id>/end", sessions.end, name="end session"),
    path("invites/<ulid:invite_id>/accept", invites.accept, name="accept invite"),
    path("invites/<str:token>", invites.invite, name="invite"),
    path("agents", agents.agents, name="agents"),
    path(AGENT, agents.agent, name="agent"),
    path(f"{AGENT}/name", agents.rename, name="agent name"),
    path(f"{AGENT}/scopes", agents.scopes, name="agent scopes"),
    path(f"{AGENT}/trust", agents.trust, name="agent trust"),
    path(f"{AGENT}/revocation", agents.revoke, name="revoke agent"),
    path(f"{AGENT}/credentials", agents.mint, name="mint credential"),
    path(f"{AGENT}/credentials/<ulid:credential_id>/revocation", agents.revoke_key, name="revoke credential"),
    path(ROOM, pages.room, name="room"),
    path(f"{ROOM}/ticket", live.ticket, name="ticket"),
    path(f"{ROOM}/parts/lanes", parts.lanes, name="lanes"),
    path(f"{ROOM}/parts/talk", parts.talk, name="talk part"),
    path(f"{ROOM}/parts/<slug:name>", parts.part, name="part"),
    path(f"{ROOM}/done", pages.done, name="done"),
    path(f"{ROOM}/talk", pages.talk, name="talk"),
    path(f"{ROOM}/messages", messages.send, name="send message"),
    path(f"{ROOM}/messages/<ulid:message_id>/retraction", messages.retract, name="retract message"),
    path(f"{ROOM}/trust", trust.trust, name="trust"),
    path(f"{ROOM}/trust/dismissal", trust.dismiss, name="dismiss trust request"),
    path(f"{ROOM}/members", members.members, name="members"),
    path(f"{ROOM}/members/leave", members.leave, name="leave room"),
    path(f"{ROOM}/members/<ulid:owner_id>/role", members.role, name="member role"),
    path(f"{ROOM}/members/<ulid:owner_id>/removal", members.remove, name="remove member"),
    path(f"{ROOM}/agents", members.bring, name="bring agent"),
    path(f"{ROOM}/agents/<str:plate>/removal", members.take_out, name="take agent out"),
    path(f"{ROOM}/invites", members.send_invite, name="send invite"),
    path(f"{ROOM}/invites/<ulid:invite_id>/withdrawal", members.withdraw_invite, name="withdraw invite"),
    path(f"{ROOM}/settings", settings.settings, name="room settings"),
    path(f"{ROOM}/settings/name", settings.rename, name="room name"),
    path(f"{ROOM}/settings/status", settings.status, name="room status"),
    path(f"{ROOM}/settings/focus", settings.focus, name="room focus"),
    path(f"{ROOM}/settings/document", settings.document, name="room document"),
    path(f"{ROOM}/settings/workspace", settings.workspace, name="room workspace"),
    path(f"{ROOM}/settings/token", settings.token, name="workspace token"),
    path(f"{ROOM}/settings/token/removal", settings.forget_token, name="forget workspace token"),
    path(f"{ROOM}/tasks/new", tasks.new, name="new task"),
    path(TASK, tasks.detail, name="task"),
    path(f"{TASK}/menu", tasks.menu, name="task menu"),
    path(f"{TASK}/edit", tasks.edit, name="edit task"),
    path(f"{TASK}/assignment", assignments.assign, name="assign task"),
    path(f"{TASK}/place", assignments.place, name="place task"),
    path(f"{TASK}/release", assignments.release, name="release task"),
    path(f"{TASK}/reopening", assignments.reopen, name="reopen task"),
    path(f"{TASK}/cancellation", assignments.cancel, name="cancel task"),
    path(f"{TASK}/archive", assignments.archive, name="archive task"),
    path(f"{TASK}/archive/removal", assignments.unarchive, name="unarchive task"),
]
