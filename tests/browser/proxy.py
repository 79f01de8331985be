"""A TCP proxy that can fall silent as a broken network does: nothing is closed, nothing arrives."""

from __future__ import annotations

import contextlib
import socket
import threading


class Proxy:
    def __init__(self, port: int) -> None:
        self._target = port
        self._open = threading.Event()
        self._open.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self) -> None:
        self._open.clear()

    def recover(self) -> None:
        """What was open stays dead, as after a change of networks; new connections work."""
        old, self._sockets = self._sockets, []
        self._open = threading.Event()
        self._open.set()
        for one in old:
            with contextlib.suppress(OSError):
                one.close()

    def stop(self) -> None:
        self._open.set()
        for one in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._sockets += [client, server]
            gate = self._open
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink, gate), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket, gate: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                gate.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
