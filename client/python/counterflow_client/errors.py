"""What calls fail with."""

from __future__ import annotations

import json
from typing import Any, Optional


class CounterflowError(Exception):
    """A call has failed.

    If the call had ids, the error has them too. Send the request again with the same id, and it
    counts once.
    """

    event_id: Optional[str] = None
    reward_id: Optional[str] = None
    command_id: Optional[str] = None


class ProblemResponseError(CounterflowError):
    """The server has replied with an error, usually a problem document (RFC 9457).

    Attributes:
        status: the status of the response
        type: the kind of problem, such as ``urn:counterflow:problem:unknown-loop``
        detail: a description for people
        instance: the request's id in the server's log
        retry_after: seconds after which the server can be asked again
        problem: the whole document; empty if the reply has none
    """

    def __init__(self, status: int, body: bytes, retry_after: Optional[float]) -> None:
        problem = _problem_in(body)
        self.status = status
        self.type = _text(problem, "type", "about:blank")
        self.title = _text(problem, "title", "")
        self.detail = _text(problem, "detail", "the reply has no problem document")
        self.instance = _text(problem, "instance", "unknown request")
        self.retry_after = retry_after
        self.problem = problem
        super().__init__(status, body, retry_after)

    def __str__(self) -> str:
        return f"{self.status} {self.type}: {self.detail} ({self.instance})"

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status in (429, 503)


class ConnectionFailedError(CounterflowError, ConnectionError):
    """No connection, or it broke before the reply was complete."""


class RequestTimeoutError(CounterflowError, TimeoutError):
    """The reply did not arrive in time."""


def _problem_in(body: bytes) -> dict[str, Any]:
    """The problem document in a body; a proxy may reply in another format."""
    try:
        problem = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return problem if isinstance(problem, dict) else {}


def _text(problem: dict[str, Any], name: str, otherwise: str) -> str:
    value = problem.get(name)
    return value if isinstance(value, str) else otherwise
