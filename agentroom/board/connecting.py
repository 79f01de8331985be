"""What to paste so that an agent connects: one exact line per client (docs: the clients' own `mcp add`)."""

from __future__ import annotations

from dataclasses import dataclass

from identity.models import Host
from identity.places import resource_of

NAME = "agentroom"
UNKNOWN_TOKEN = "YOUR_TOKEN"  # noqa: S105 - a placeholder


@dataclass(frozen=True, slots=True)
class Connection:
    """`text` is pasted as it stands; `where` says into what."""

    host: str
    title: str
    where: str
    text: str


def connection(host: str, token: str = "", resource: str = "") -> Connection:
    """How a client of this host connects, with the token in place where one is given."""
    url, token = resource or resource_of(host), token or UNKNOWN_TOKEN
    bearer = f"Authorization: Bearer {token}"
    in_shell = "In a terminal"
    known = {
        Host.CLAUDE: (in_shell, f'claude mcp add --transport http {NAME} {url} --header "{bearer}"'),
        Host.CODEX: (
            in_shell,
            f"export AGENTROOM_TOKEN={token}\ncodex mcp add {NAME} --url {url} --bearer-token-env-var AGENTROOM_TOKEN",
        ),
        Host.OPENCLAW: (
            in_shell,
            f'openclaw mcp add {NAME} --url {url} --transport streamable-http --header "Authorization=Bearer {token}"',
        ),
        Host.HERMES: (
            "In ~/.hermes/config.yaml, then `hermes mcp test agentroom`",
            f'mcp_servers:\n  {NAME}:\n    url: {url}\n    headers:\n      Authorization: "Bearer {token}"',
        ),
        Host.GENERIC: (
            "In the client’s settings: Streamable HTTP, with this header",
            f"{url}\n{bearer}",
        ),
    }
    where, text = known[Host(host or Host.GENERIC)]
    return Connection(host or Host.GENERIC, Host(host or Host.GENERIC).label, where, text)


def connections(token: str, resource: str, host: str) -> list[Connection]:
    """Every client that may use a credential made for `host`: a bound one has one, an unbound one every client."""
    if host and host != Host.GENERIC:
        return [connection(host, token, resource)]
    plain = [one for one in Host.values if one != Host.GENERIC]
    return [connection(one, token, resource) for one in (Host.GENERIC.value, *plain)]
