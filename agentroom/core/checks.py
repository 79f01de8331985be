"""What a server refuses to start with (TM49, AR-1.12, AR-1.13): each refusal says what to set instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connections

KEY_CHARACTERS = 32

Apps = Sequence[AppConfig] | None


def configuration(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    return [*_addresses(), *_secrets(), *_services()]


def database(app_configs: Apps, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Only where a database is named: at the start of a server and at migrate. One that is away is no refusal."""
    try:
        return [refusal for alias in databases or () for refusal in _database(alias)]
    except OperationalError:
        return []


def refuse_unsafe() -> None:
    """For servers that are not started by `serve`: raise with every refusal in one message."""
    # uvicorn imports the application inside its event loop, where Django refuses queries: ask from a thread.
    with ThreadPoolExecutor(max_workers=1) as asker:
        refusals = asker.submit(_refusals).result()
    if refusals:
        raise ImproperlyConfigured("\n".join(f"{refusal.msg} {refusal.hint or ''}" for refusal in refusals))


def _refusals() -> list[Error]:
    try:
        found = run_checks(tags=[Tags.security, Tags.database], databases=["default"])
    finally:
        connections.close_all()
    return [message for message in found if isinstance(message, Error)]


def is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _addresses() -> Iterator[CheckMessage]:
    base = urlsplit(settings.AGENTROOM_BASE_URL)
    public = not is_loopback(base.hostname or "")
    if base.scheme not in {"http", "https"} or not base.hostname or base.path:
        yield _refusal(1, "AGENTROOM_BASE_URL is not an address.", "Give scheme and host: https://room.example.org")
    elif public and base.scheme != "https":
        yield _refusal(
            2,
            "AGENTROOM_BASE_URL is plain http off loopback: passports would travel in the clear.",
            "Put a proxy with TLS in front (deploy/) and set AGENTROOM_BASE_URL=https://…",
        )
    if not public and not is_loopback(settings.AGENTROOM_HOST):
        yield _refusal(
            3,
            "HOST listens beyond loopback while AGENTROOM_BASE_URL is a loopback address.",
            "Set AGENTROOM_BASE_URL to the https address people use, or HOST=127.0.0.1.",
        )
    if settings.DEBUG and (public or not is_loopback(settings.AGENTROOM_HOST)):
        yield _refusal(4, "AGENTROOM_DEBUG is on beyond loopback.", "Unset AGENTROOM_DEBUG.")
    if settings.MCP_CONFORMANCE_FIXTURES and (public or not is_loopback(settings.AGENTROOM_HOST)):
        yield _refusal(15, "AGENTROOM_CONFORMANCE_FIXTURES is on beyond loopback.", "Unset it.")
    if "*" in settings.ALLOWED_HOSTS:
        yield _refusal(5, "AGENTROOM_ALLOWED_HOSTS allows every host.", "Name the hosts.")
    for peer in settings.AGENTROOM_TRUSTED_PROXIES:
        if peer != "unix" and not _is_narrow(peer):
            yield _refusal(6, "AGENTROOM_TRUSTED_PROXIES names no address or network of a proxy.", "Narrow it.")


def _secrets() -> Iterator[CheckMessage]:
    key = settings.SECRET_KEY
    if key == settings.INSECURE_KEY or len(key) < KEY_CHARACTERS or len(set(key)) < 8:
        yield _refusal(
            7,
            "AGENTROOM_SECRET_KEY is missing or weak.",
            f"Give {KEY_CHARACTERS} random characters or more: openssl rand -base64 48",
        )


def _services() -> Iterator[CheckMessage]:
    if settings.AGENTROOM_PROFILE not in {"embedded", "full"}:
        yield _refusal(8, "AGENTROOM_PROFILE is neither embedded nor full.", "Choose one, or unset it.")
    if not settings.EMBEDDED and not (settings.DATABASE_URL and settings.REDIS_URL):
        yield _refusal(
            9,
            "The full profile needs PostgreSQL and Redis.",
            "Set DATABASE_URL and REDIS_URL, or use the embedded profile.",
        )
    redis = urlsplit(settings.REDIS_URL)
    if redis.hostname and not is_loopback(redis.hostname) and not redis.password:
        yield _refusal(
            10,
            "REDIS_URL has no password off loopback.",
            "Set requirepass in Redis and write redis://:password@host:port/0",
        )


def _database(alias: str) -> Iterator[CheckMessage]:
    connection = connections[alias]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            yield from _sqlite(cursor)
        else:
            yield from _postgres(cursor)


def _sqlite(cursor: Any) -> Iterator[CheckMessage]:
    if not settings.EMBEDDED:
        yield _refusal(11, "The full profile does not run on SQLite.", "Set DATABASE_URL=postgresql://…")
    journal = cursor.execute("PRAGMA journal_mode").fetchone()[0]
    if journal != "wal":
        yield _refusal(
            12, f"SQLite keeps its journal as {journal}, not as WAL.", "Use a local disk for AGENTROOM_DATA."
        )


POSTGRES_WANTED = {
    "fsync": {"on"},
    "full_page_writes": {"on"},
    "synchronous_commit": {"on", "remote_apply"},
    "server_encoding": {"UTF8"},
    "TimeZone": {"UTC", "Etc/UTC"},
}
POSTGRES_OLDEST = 15


def _postgres(cursor: Any) -> Iterator[CheckMessage]:
    for name, wanted in POSTGRES_WANTED.items():
        cursor.execute("SELECT current_setting(%s)", [name])
        value = cursor.fetchone()[0]
        if value not in wanted:
            yield _refusal(
                13, f"PostgreSQL runs with {name} = {value}.", f"Acknowledged work needs {name} = {min(wanted)}."
            )
    cursor.execute("SELECT current_setting('server_version_num')::int / 10000")
    version = cursor.fetchone()[0]
    if version < POSTGRES_OLDEST:
        yield _refusal(14, f"PostgreSQL {version} is too old.", f"Use {POSTGRES_OLDEST} or newer.")


def _refusal(number: int, what: str, instead: str) -> Error:
    return Error(what, hint=instead, id=f"agentroom.E{number:03}")


def _is_narrow(peer: str) -> bool:
    try:
        return ip_network(peer).prefixlen >= 8
    except ValueError:
        return False
