"""An nginx of our own in front of the product, from a configuration the test gives."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.services.processes import Process, accepts, folder_for, free_port, remove

PLACES = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx", "/usr/local/bin/nginx"]


def find() -> Path | None:
    found = shutil.which("nginx")
    return next((Path(place) for place in [found or "", *PLACES] if place and Path(place).exists()), None)


class Nginx:
    """`http` is what stands inside the http block; {port} and {folder} in it are filled in."""

    def __init__(self, http: str) -> None:
        executable = find()
        if executable is None:
            raise RuntimeError("no nginx: install the package nginx (Debian: nginx-light; macOS: brew install nginx)")
        self.folder = folder_for("nginx", unprivileged=True)
        self.port = free_port()
        configuration = self.folder / "nginx.conf"
        configuration.write_text(
            FRAME.replace("{http}", http).replace("{port}", str(self.port)).replace("{folder}", str(self.folder))
        )
        configuration.chmod(0o644)
        self.process = Process(
            "nginx",
            [executable, "-p", self.folder, "-e", self.folder / "error.log", "-c", configuration],
            log=self.folder / "nginx.log",
            cwd=self.folder,
            unprivileged=True,
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Nginx:
        self.process.start().wait_until(lambda: accepts(self.port))
        return self

    def stop(self) -> None:
        self.process.stop()
        remove(self.folder)


FRAME = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events { worker_connections 512; }
http {
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{http}
}
"""
