"""The client."""

from __future__ import annotations

import datetime
import json
import math
import ssl
from time import sleep
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar
from urllib.parse import urlencode

from . import answers
from .answers import Loop, LoopPage, RankAnswer, SlotsAnswer, SpecChange
from .errors import CounterflowError
from .requests import (
    checked_id,
    checked_seconds,
    checked_token,
    conditions,
    decision,
    event_path,
    loop_path,
    new_id,
    read,
)
from .retries import Retries
from .transport import Reply, Request, Transport

T = TypeVar("T")

_RANK_RETRIES = Retries(attempts=2, first_pause=0.05, max_pause=1.0)


class CounterflowClient:
    """Calls a server for decisions, and sends rewards, activations and rollout commands.

    Thread-safe: one client is enough for a program. Calls that fail because of the connection, or
    with 429 or 503, are repeated with the same id, which counts once. A decision is repeated once,
    because somebody waits for it. Changes of loops are sent once.

    Every call may raise a ``CounterflowError``.

    Args:
        server: its address, such as ``https://decisions.example.org``
        token: the bearer token; None for a server without tokens
        timeout: longest time of an attempt, in seconds; a server gives up a reward after 10 seconds
        connect_timeout: longest time until there is a connection, in seconds
        retries: of all calls but decisions and changes of loops
        rank_retries: of decisions
        tls: checks the certificate of an https server; by default against those of the system
    """

    def __init__(
        self,
        server: str,
        *,
        token: Optional[str] = None,
        timeout: float = 12.0,
        connect_timeout: float = 2.0,
        retries: Retries = Retries(),
        rank_retries: Retries = _RANK_RETRIES,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._token = None if token is None else checked_token(token)
        self._timeout = checked_seconds("timeout", timeout)
        self._retries = retries
        self._rank_retries = rank_retries
        self._server = server
        checked_seconds("connect_timeout", connect_timeout)
        self._transport = Transport(server, connect_timeout, tls)

    def __repr__(self) -> str:
        return f"CounterflowClient({self._server!r})"  # without the token

    def __enter__(self) -> CounterflowClient:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are not in use."""
        self._transport.close()

    def rank(
        self,
        loop: str,
        context: Mapping[str, Any],
        actions: Optional[Sequence[Mapping[str, Any]]] = None,
        *,
        event_id: Optional[str] = None,
        excluded_actions: Sequence[str] = (),
        defer_activation: bool = False,
        timeout: Optional[float] = None,
    ) -> RankAnswer:
        """Requests a decision.

        Args:
            context: ``{"features": {...}}`` for a loop with named features, ``{"dense": [...]}`` or
                ``{"sparse": {...}}`` for a loop with vectors
            actions: each with its ``id`` and ``features``; None if the loop has a fixed list
            event_id: the id of the event. The same id gets the same action. By default a new id
            excluded_actions: ids of actions that must not be chosen
            defer_activation: whether the decision counts only when it is activated
        """
        body = decision(context, actions, excluded_actions, defer_activation)
        return self._decide(loop, "/rank", body, event_id, timeout, answers.rank_answer)

    def rank_slots(
        self,
        loop: str,
        context: Mapping[str, Any],
        actions: Optional[Sequence[Mapping[str, Any]]] = None,
        *,
        slots: Sequence[Mapping[str, Any]],
        event_id: Optional[str] = None,
        excluded_actions: Sequence[str] = (),
        defer_activation: bool = False,
        timeout: Optional[float] = None,
    ) -> SlotsAnswer:
        """Requests a decision for each slot of a page, no action twice.

        Args:
            slots: the most important one first, each with its ``id`` and maybe ``features`` and
                ``excludedActions``
            event_id: the id of the page
        """
        body = decision(context, actions, excluded_actions, defer_activation)
        body["slots"] = slots
        return self._decide(loop, "/rank-slots", body, event_id, timeout, answers.slots_answer)

    def _decide(
        self,
        loop: str,
        path: str,
        body: dict[str, Any],
        event_id: Optional[str],
        timeout: Optional[float],
        answer: Callable[[dict[str, Any]], T],
    ) -> T:
        event_id = checked_id("event_id", event_id if event_id is not None else new_id())
        body = {**body, "eventId": event_id}
        request = self._request("POST", loop_path(loop) + path, (200,), body)
        try:
            reply = self._send(request, self._rank_retries, timeout, repeat_timeouts=False)
            return read(reply, answer)
        except CounterflowError as e:
            e.event_id = event_id
            raise

    def reward(
        self,
        loop: str,
        event_id: str,
        value: float,
        *,
        reward_id: Optional[str] = None,
        time: Optional[datetime.datetime] = None,
        metric: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> str:
        """Sends a reward, waits until Kafka has acknowledged it, and returns its id.

        Args:
            value: in the ``rewardRange`` of the loop, which is [0, 1] unless its spec has another
            reward_id: rewards with the same id count once; by default a new id
            time: by default the time at which the server receives the reward
            metric: ``reward``, which is the default, or ``guardrail``
        """
        if not math.isfinite(value):
            raise ValueError(f"value must be a finite number, got {value}")
        reward_id = checked_id("reward_id", reward_id if reward_id is not None else new_id())
        body: dict[str, Any] = {"value": float(value), "rewardId": reward_id}
        if time is not None:
            if time.tzinfo is None:
                raise ValueError("time must have a time zone")
            body["time"] = time.isoformat()
        if metric is not None:
            body["metric"] = metric
        request = self._request("POST", event_path(loop, event_id) + "/reward", (202,), body)
        try:
            self._send(request, self._retries, timeout)
        except CounterflowError as e:
            e.event_id, e.reward_id = event_id, reward_id
            raise
        return reward_id

    def activate(self, loop: str, event_id: str, *, timeout: Optional[float] = None) -> None:
        """Activates a deferred event, and waits until Kafka has acknowledged it."""
        request = self._request("POST", event_path(loop, event_id) + "/activate", (202,))
        try:
            self._send(request, self._retries, timeout)
        except CounterflowError as e:
            e.event_id = event_id
            raise

    def rollout(
        self,
        loop: str,
        action: str,
        reason: str,
        *,
        command_id: Optional[str] = None,
        timeout: Optional[float] = None,
        **fields: Any,
    ) -> str:
        """Sends a rollout command, and waits until Kafka has acknowledged it.

        The job executes or refuses it later. Returns the id of the command, which the change of the
        rollout contains.

        Args:
            action: such as ``promote``; docs/serving.md lists the actions and their fields
            fields: such as ``version`` and ``share``
        """
        command_id = checked_id("command_id", command_id if command_id is not None else new_id())
        body = {**fields, "action": action, "reason": reason, "commandId": command_id}
        request = self._request("POST", loop_path(loop) + "/rollout", (202,), body)
        try:
            self._send(request, self._retries, timeout)
        except CounterflowError as e:
            e.command_id = command_id
            raise
        return command_id

    def list_loops(
        self,
        *,
        search: Optional[str] = None,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> LoopPage:
        """Lists loops by name, a page at a time."""
        given = {"search": search, "offset": offset, "limit": limit}
        query = urlencode({name: it for name, it in given.items() if it is not None})
        request = self._request("GET", "/v1/loops" + ("?" + query if query else ""), (200,))
        return read(self._send(request, self._retries, timeout), answers.loop_page)

    def get_loop(self, loop: str, *, timeout: Optional[float] = None) -> Loop:
        """Returns a loop with its spec."""
        reply = self._send(self._request("GET", loop_path(loop), (200,)), self._retries, timeout)
        return read(reply, lambda it: answers.loop(it, reply.etag))

    def put_loop(
        self,
        loop: str,
        spec: Mapping[str, Any],
        *,
        if_match: Optional[str] = None,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SpecChange:
        """Creates a loop, or changes its spec. The same spec changes nothing.

        Args:
            spec: all settings; those that are absent get their defaults
            if_match: the etag of the spec to replace; if there is another, the server answers 412
            if_none_match: ``*`` creates a loop and changes none
        """
        request = self._request(
            "PUT", loop_path(loop), (200, 201), spec, conditions(if_match, if_none_match)
        )
        reply = self._send_once(request, timeout)
        return read(reply, lambda it: answers.spec_change(it, reply.etag))

    def delete_loop(
        self, loop: str, *, if_match: Optional[str] = None, timeout: Optional[float] = None
    ) -> None:
        """Deletes a loop with everything that it has learned."""
        request = self._request("DELETE", loop_path(loop), (204,), None, conditions(if_match, None))
        self._send_once(request, timeout)

    def _request(
        self,
        method: str,
        path: str,
        expected: tuple[int, ...],
        body: Optional[Mapping[str, Any]] = None,
        more: Optional[Mapping[str, str]] = None,
    ) -> Request:
        headers = dict(more or {})
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if body is None:
            return Request(method, path, headers, None, expected)
        headers["content-type"] = "application/json"
        return Request(method, path, headers, json.dumps(body, allow_nan=False).encode(), expected)

    def _send(
        self,
        request: Request,
        retries: Retries,
        timeout: Optional[float],
        repeat_timeouts: bool = True,
    ) -> Reply:
        attempt = 1
        while True:
            try:
                return self._transport.send(request, self._seconds(timeout))
            except CounterflowError as e:
                pause = retries.pause_after(attempt, e, repeat_timeouts)
                if pause is None:
                    raise
            sleep(pause)
            attempt += 1

    def _send_once(self, request: Request, timeout: Optional[float]) -> Reply:
        return self._transport.send_once(request, self._seconds(timeout))

    def _seconds(self, timeout: Optional[float]) -> float:
        return self._timeout if timeout is None else checked_seconds("timeout", timeout)
