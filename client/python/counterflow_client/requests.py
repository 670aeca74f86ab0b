"""The parts of requests and replies, and what they must be."""

from __future__ import annotations

import json
import math
import re
import uuid
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar
from urllib.parse import quote

from .errors import CounterflowError
from .transport import Reply

T = TypeVar("T")

_MAX_ID_LENGTH = 512


def decision(
    context: Mapping[str, Any],
    actions: Optional[Sequence[Mapping[str, Any]]],
    excluded_actions: Sequence[str],
    defer_activation: bool,
) -> dict[str, Any]:
    body: dict[str, Any] = {"context": context}
    if actions is not None:
        body["actions"] = actions
    if excluded_actions:
        body["excludedActions"] = excluded_actions
    if defer_activation:
        body["deferActivation"] = True
    return body


def read(reply: Reply, answer: Callable[[dict[str, Any]], T]) -> T:
    try:
        return answer(json.loads(reply.body))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as e:
        raise CounterflowError(
            f"the reply is not one of a Counterflow server: {type(e).__name__}: {e}"
        ) from e


def conditions(if_match: Optional[str], if_none_match: Optional[str]) -> dict[str, str]:
    given = {"if-match": if_match, "if-none-match": if_none_match}
    return {name: it for name, it in given.items() if it is not None}


def loop_path(loop: str) -> str:
    return "/v1/loops/" + quote(checked_id("loop", loop), safe="")


def event_path(loop: str, event_id: str) -> str:
    return f"{loop_path(loop)}/events/{quote(checked_id('event_id', event_id), safe='')}"


def checked_id(name: str, value: str) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= _MAX_ID_LENGTH:
        raise ValueError(f"{name} must be a string with 1 to {_MAX_ID_LENGTH} characters")
    if value in (".", ".."):
        raise ValueError(f'{name} must not be "{value}", which paths cannot contain')
    return value


def new_id() -> str:
    return str(uuid.uuid4())


def checked_seconds(name: str, seconds: float) -> float:
    if not (seconds > 0 and math.isfinite(seconds)):
        raise ValueError(f"{name} must be a number of seconds above 0, got {seconds}")
    return seconds


def checked_token(token: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise ValueError("token must have visible ASCII characters only, and at least one")
    return token
