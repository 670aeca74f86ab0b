"""A server on a free port of this machine that answers as a script says."""

from __future__ import annotations

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, NamedTuple

DECISION = {
    "eventId": "e",
    "loop": "home",
    "policyVersion": 0,
    "action": 0,
    "actionId": "a",
    "propensity": 0.5,
    "propensityKind": "exact",
    "logged": True,
    "ranking": [{"id": "a", "probability": 0.5}, {"id": "b"}],
}


class SentRequest(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    port: int

    def json(self) -> Any:
        return json.loads(self.body)


Behaviour = Callable[["_Handler"], None]


class MisbehavingServer:
    """Answers each request with the next behaviour, and then with the last one."""

    def __init__(self, *script: Behaviour) -> None:
        self.script = script
        self.requests: list[SentRequest] = []
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.01))

    def __enter__(self) -> MisbehavingServer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def bodies(self) -> list[Any]:
        return [it.json() for it in self.requests]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (ConnectionError, ValueError):  # also of a closed file
            self.close_connection = True

    def _answer(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): it for name, it in self.headers.items()}
        owner.requests.append(
            SentRequest(self.command, self.path, headers, body, self.client_address[1])
        )
        owner.script[min(len(owner.requests), len(owner.script)) - 1](self)

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, *arguments: object) -> None:
        pass


def answers(status: int, body: Any = None, **headers: str) -> Behaviour:
    text = body if isinstance(body, bytes) else json.dumps(body or {}).encode()

    def behave(it: _Handler) -> None:
        it.send_response(status)
        for name, value in headers.items():
            it.send_header(name.replace("_", "-"), value)
        if status != 204:
            it.send_header("content-length", str(len(text)))
        it.end_headers()
        if status != 204:
            it.wfile.write(text)

    return behave


def problem(status: int, name: str, **headers: str) -> Behaviour:
    kind = f"urn:counterflow:problem:{name}"
    document = {"type": kind, "title": name, "detail": "a detail", "instance": "urn:i"}
    return answers(status, document, content_type="application/problem+json", **headers)


def resets(it: _Handler) -> None:
    """Closes the connection without an answer."""
    it.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    it.close_connection = True


def hangs_up(it: _Handler) -> None:
    """Closes the connection in an orderly way, without an answer."""
    it.close_connection = True


def breaks_off(it: _Handler) -> None:
    """Closes the connection in the middle of the body."""
    it.send_response(200)
    it.send_header("content-length", "100")
    it.end_headers()
    it.wfile.write(b'{"eventId":')
    it.close_connection = True


def breaks_off_a_chunk(it: _Handler) -> None:
    it.send_response(200)
    it.send_header("transfer-encoding", "chunked")
    it.end_headers()
    it.wfile.write(b'64\r\n{"eventId":')
    it.close_connection = True


def is_silent(it: _Handler) -> None:
    it.server.owner.stopping.wait()
    it.close_connection = True


def drips(it: _Handler) -> None:
    """Sends one byte of the body after the other, without end."""
    it.send_response(200)
    it.send_header("content-length", "1000000")
    it.end_headers()
    while not it.server.owner.stopping.wait(0.01):
        it.wfile.write(b" ")
    it.close_connection = True


def answers_and_closes(status: int, body: Any = None) -> Behaviour:
    """Answers and then closes the connection, without having said so."""
    answer = answers(status, body)

    def behave(it: _Handler) -> None:
        answer(it)
        it.close_connection = True

    return behave
