"""deploy/nginx.conf as it stands, with TLS, in front of the product: what it lets through and what it ends."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.services.nginx import Nginx
from tests.services.processes import free_port, wait_for
from tests.services.server import EmbeddedServer

pytestmark = pytest.mark.real_server

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
# What the test waits at most for a time-out the configuration states as 10 s.
PATIENCE = 100


@dataclass
class Front:
    nginx: Nginx
    server: EmbeddedServer
    plain: int
    trust: ssl.SSLContext

    def client(self) -> httpx.Client:
        return httpx.Client(
            base_url=f"https://localhost:{self.nginx.port}", verify=self.trust, trust_env=False, timeout=60
        )

    def connect(self) -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", self.nginx.port), timeout=PATIENCE)
        return self.trust.wrap_socket(raw, server_hostname="localhost")


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    server = EmbeddedServer(AGENTROOM_BASE_URL="https://localhost", AGENTROOM_TRUSTED_PROXIES="127.0.0.1")
    plain = free_port()
    nginx = Nginx(_site(server.port, plain))
    _install(nginx.folder)
    try:
        server.start()
        nginx.start()
        yield Front(nginx, server, plain, ssl.create_default_context(cafile=str(nginx.folder / "public.pem")))
    finally:
        nginx.stop()
        server.stop()


def test_a_request_comes_through_with_tls_and_its_promise(front):
    with front.client() as client:
        answer = client.get("/readyz")
    assert answer.status_code == 200
    assert "max-age=" in answer.headers["strict-transport-security"]
    assert len(answer.headers.get_list("content-security-policy")) == 1


def test_cookies_behind_tls_are_secure_and_bound_to_the_host(front):
    with front.client() as client:
        answer = client.get("/admin/", follow_redirects=True)
    cookies = [cookie for hop in [*answer.history, answer] for cookie in hop.headers.get_list("set-cookie")]
    assert cookies
    assert all(cookie.startswith("__Host-") and "Secure" in cookie for cookie in cookies)


def test_plain_http_is_sent_to_tls_without_what_its_address_carried(front):
    answer = httpx.get(f"http://127.0.0.1:{front.plain}/mcp?key=canary", trust_env=False)
    assert answer.status_code == 301
    assert answer.headers["location"] == "https://localhost/mcp"


def test_an_address_forged_by_a_client_is_replaced(front):
    with front.client() as client:
        client.get("/healthz", headers={"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "evil.example"})
    log = front.server.folder / "data" / "agentroom.log"
    wait_for(lambda: '"127.0.0.1"' in log.read_text())
    assert "203.0.113.9" not in log.read_text()


def test_a_body_over_the_cap_is_refused_by_the_server_itself(front):
    with front.client() as client:
        answer = client.post("/v1/tools/send_message", content=b"x" * 300_000)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "TOO_LARGE")


def test_an_endless_chunked_body_is_refused(front):
    # At a page, which reads before it asks who is there: at /mcp the missing credential may be refused first.
    with front.client() as client:
        assert client.post("/accounts/login/", content=(b"x" * 65_536 for _ in range(2000))).status_code == 413


def test_a_body_that_says_it_is_huge_is_refused_before_it_is_sent(front):
    with front.connect() as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 83886080\r\n\r\n")
        assert b" 413 " in connection.recv(4096)


@pytest.mark.parametrize("header", [b"X-Long: " + b"x" * 70_000, b"\r\n".join(b"X-%d: x" % n for n in range(3000))])
def test_a_header_that_is_too_large_is_refused(front, header):
    with front.connect() as connection:
        try:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n\r\n")
            answer = connection.recv(4096)
        except (ConnectionError, ssl.SSLError):
            answer = b""
    assert not answer or re.match(rb"HTTP/1\.1 4\d\d ", answer)


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHost: local",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf",
    ],
)
def test_a_connection_that_falls_silent_is_ended(front, beginning):
    with front.connect() as connection:
        connection.sendall(beginning)
        assert _ends(connection)


def test_one_address_has_a_bounded_number_of_connections(front):
    held = []
    try:
        for _ in range(80):
            connection = front.connect()
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
            held.append(connection)
        with front.client() as client:
            assert client.get("/healthz").status_code == 503
    finally:
        for connection in held:
            connection.close()
    wait_for(lambda: _status(front) == 200)


def test_the_deep_health_page_is_for_this_machine_only(front):
    site = (DEPLOY / "nginx.conf").read_text()
    block = site[site.index("location = /healthz/deep") :]
    assert block.index("allow 127.0.0.1") < block.index("deny all")


def test_no_log_of_the_proxy_knows_a_query_string(front):
    with front.client() as client:
        client.get("/mcp?key=canary-7")
        client.post("/mcp?key=canary-8", content=b"x" * 2_000_000)
    assert not [path for path in front.nginx.folder.rglob("*.log") if "canary" in path.read_text(errors="replace")]


def _status(front: Front) -> int:
    with front.client() as client:
        return client.get("/healthz").status_code


def _ends(connection: ssl.SSLSocket) -> bool:
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except (ConnectionError, ssl.SSLError):
        return True
    return True


def _site(server: int, plain: int) -> str:
    """The file as it is installed, with ports, names and paths of this test in place of those it says to change."""
    changes = {
        "server 127.0.0.1:8001;": f"server 127.0.0.1:{server};",
        "    server 127.0.0.1:8002;\n": "",
        "listen 80 default_server;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": "listen 127.0.0.1:{port} ssl",
        "/etc/letsencrypt/live/room.example.org/fullchain.pem": "{folder}/public.pem",
        "/etc/letsencrypt/live/room.example.org/privkey.pem": "{folder}/private.pem",
        "room.example.org": "localhost",
        "/etc/nginx/agentroom-proxy.conf": "{folder}/agentroom-proxy.conf",
        "/var/log/nginx/agentroom-error.log": "{folder}/site-error.log",
        "access_log off;": "",
    }
    site = (DEPLOY / "nginx.conf").read_text()
    for before, after in changes.items():
        assert before in site, f"deploy/nginx.conf no longer says {before!r}"
        site = site.replace(before, after)
    return site


def _install(folder: Path) -> None:
    public, private = _certificate()
    proxy = (DEPLOY / "agentroom-proxy.conf").read_bytes()
    for name, content in {"public.pem": public, "private.pem": private, "agentroom-proxy.conf": proxy}.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o644)


def _certificate() -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.utcnow()
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM), key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
