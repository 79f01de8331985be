"""Pytest plugin: the database is up before Django reads its settings; the other servers are fixtures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.services.chromium import chromium
from tests.services.nginx import Nginx
from tests.services.postgres import Postgres
from tests.services.redis import Redis
from tests.services.server import EmbeddedServer, FullServer
from tests.services.surroundings import DATABASE_SERVER, NAMED_REDIS, Surroundings

_surroundings = Surroundings()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests():
    # A wrapper runs ahead of pytest-django, which reads the settings in this same hook.
    try:
        _surroundings.prepare()
        return (yield)
    except BaseException:
        _surroundings.end()
        raise


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    _surroundings.end()


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """Address of a PostgreSQL where databases may be made: the suite's, else one of this session's own."""
    if named := os.environ[DATABASE_SERVER]:
        yield named
        return
    server = Postgres().start()
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Address of a Redis: the one the user named, else one of this session's own. Use a key prefix in it."""
    if named := os.environ[NAMED_REDIS]:
        yield named
        return
    server = Redis().start()
    yield server.url
    server.stop()


@pytest.fixture
def throwaway_postgres() -> Iterator[Postgres]:
    """For faults: may be killed and started again."""
    server = Postgres().start()
    yield server
    server.stop()


@pytest.fixture
def throwaway_redis() -> Iterator[Redis]:
    """For faults: may be killed, flushed and started again."""
    server = Redis().start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[EmbeddedServer]:
    """The product as `make run` starts it, on data of its own. Shared: leave it running."""
    server = EmbeddedServer()
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="session")
def full_server(database_server: str, redis_url: str) -> Iterator[FullServer]:
    """uvicorn workers, Celery worker and beat on PostgreSQL and Redis. Shared: leave it running."""
    server = FullServer(database_server, redis_url)
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(params=["embedded", "full"])
def any_server(request: pytest.FixtureRequest) -> EmbeddedServer | FullServer:
    """The same test against both profiles."""
    return request.getfixturevalue(f"{request.param}_server")


@pytest.fixture
def serve() -> Iterator[Callable[..., EmbeddedServer]]:
    """For faults and settings: `serve(NAME="value")` starts an embedded server that this test may kill."""
    started: list[EmbeddedServer] = []

    def start(**extra: str) -> EmbeddedServer:
        started.append(EmbeddedServer(**extra))
        return started[-1].start()

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def nginx() -> Iterator[Callable[[str], Nginx]]:
    """`nginx(http_block)` starts one; {port} and {folder} in the block are filled in."""
    started: list[Nginx] = []

    def start(http: str) -> Nginx:
        started.append(Nginx(http))
        return started[-1].start()

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium for this file, for server processes: Django refuses queries while it is open."""
    with chromium() as opened:
        yield opened


@pytest.fixture
def browser_page(browser):
    """A page with cookies of its own, in a desktop window."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()
