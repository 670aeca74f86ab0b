"""Sends one request over HTTP/1.1, and keeps connections for the next ones."""

from __future__ import annotations

import email.utils
import http.client
import os
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Mapping, Optional
from urllib.parse import urlsplit

from .errors import ConnectionFailedError, ProblemResponseError, RequestTimeoutError

# Servers close connections that are idle for 60 seconds; proxies may be less patient.
_MAX_IDLE = 15.0
_MAX_KEPT = 32
_CHUNK = 65_536


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: Optional[bytes]
    expected: tuple[int, ...]


@dataclass(frozen=True)
class Reply:
    body: bytes
    etag: Optional[str]


class Transport:
    """The connections to a server. Thread-safe."""

    def __init__(self, server: str, connect_timeout: float, tls: Optional[ssl.SSLContext]) -> None:
        url = urlsplit(server)
        odd = url.username is not None or url.query or url.fragment
        if url.scheme not in ("http", "https") or not url.hostname or odd:
            raise ValueError(
                "server must be like http://host:port, without user, query and fragment"
            )
        self._host = url.hostname
        self._port = url.port
        self._base = url.path.rstrip("/")
        self._address = f"{url.scheme}://{url.netloc}{self._base}"
        self._connect_timeout = connect_timeout
        self._tls = (tls or ssl.create_default_context()) if url.scheme == "https" else None
        self._kept: list[tuple[float, http.client.HTTPConnection]] = []
        self._process = os.getpid()
        self._lock = threading.Lock()

    def send(self, request: Request, timeout: float) -> Reply:
        """Sends a request, and returns its reply if that has an expected status.

        If a kept connection turns out to be closed, sends the request again over a new one.
        """
        kept = self._take()
        if kept is not None:
            try:
                return self._exchange(kept, request, timeout)
            except ConnectionFailedError:
                pass
        return self.send_once(request, timeout)

    def send_once(self, request: Request, timeout: float) -> Reply:
        """Sends a request over a new connection."""
        return self._exchange(self._connect(request), request, timeout)

    def close(self) -> None:
        """Closes connections that are not in use."""
        with self._lock:
            kept, self._kept = self._kept, []
        for _, connection in kept:
            connection.close()

    def _take(self) -> Optional[http.client.HTTPConnection]:
        with self._lock:
            if self._process != os.getpid():  # the connections belong to the parent process
                self._process = os.getpid()
                while self._kept:
                    self._kept.pop()[1].close()  # closes the copy of this process only
            while self._kept:
                since, connection = self._kept.pop()
                if time.monotonic() - since < _MAX_IDLE:
                    return connection
                connection.close()
        return None

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if self._process == os.getpid() and len(self._kept) < _MAX_KEPT:
                self._kept.append((time.monotonic(), connection))
                return
        connection.close()

    def _connect(self, request: Request) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._tls is None:
            connection = http.client.HTTPConnection(
                self._host, self._port, timeout=self._connect_timeout
            )
        else:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=self._connect_timeout, context=self._tls
            )
        try:
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as e:
            connection.close()
            raise ConnectionFailedError(self._says(request, f"the connection failed: {e}")) from e
        return connection

    def _exchange(
        self, connection: http.client.HTTPConnection, request: Request, timeout: float
    ) -> Reply:
        end = time.monotonic() + timeout
        reusable = False
        try:
            sock = connection.sock  # the connection forgets it when the server closes it
            sock.settimeout(timeout)
            connection.request(
                request.method, self._base + request.path, request.body, dict(request.headers)
            )
            sock.settimeout(_left(end))
            response = connection.getresponse()
            body = bytearray()
            while True:
                sock.settimeout(_left(end))
                part = response.read1(_CHUNK)
                if not part:
                    break
                body += part
            if response.length:  # read1 does not complain about what is missing
                raise http.client.IncompleteRead(bytes(body), response.length)
            response.close()  # or the connection takes no other request
            reusable = not response.will_close
        except socket.timeout as e:
            raise RequestTimeoutError(
                self._says(request, f"no reply within {timeout:g} s")
            ) from e
        except (OSError, http.client.HTTPException) as e:
            reason = str(e) or type(e).__name__
            raise ConnectionFailedError(
                self._says(request, f"the connection failed: {reason}")
            ) from e
        finally:
            if reusable:
                self._keep(connection)
            else:
                connection.close()
        if response.status not in request.expected:
            after = _retry_after(response.getheader("retry-after"))
            raise ProblemResponseError(response.status, bytes(body), after)
        return Reply(bytes(body), response.getheader("etag"))

    def _says(self, request: Request, what: str) -> str:
        return f"{request.method} {self._address}{request.path}: {what}"


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise socket.timeout("no time is left")
    return left


def _retry_after(header: Optional[str]) -> Optional[float]:
    """The seconds of a Retry-After header, which is a number or a date."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        date = email.utils.parsedate_to_datetime(header)
        return max(0.0, date.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
