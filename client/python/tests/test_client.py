"""What the client sends, and what it makes of the replies."""

from __future__ import annotations

import datetime
import pickle
import unittest

from counterflow_client import (
    CounterflowClient,
    CounterflowError,
    ProblemResponseError,
    RankedAction,
    Retries,
)

from .misbehaving_server import DECISION, MisbehavingServer, answers, problem

CONTEXT = {"dense": [0.5]}
TOKEN = "a-secret-token"
UTC = datetime.timezone.utc


class ClientTest(unittest.TestCase):
    def test_a_request_has_the_token_and_the_fields_of_the_caller(self) -> None:
        with MisbehavingServer(answers(200, DECISION)) as server:
            with CounterflowClient(f"{server.url}/behind/a/proxy/", token=TOKEN) as client:
                answer = client.rank(
                    "home",
                    CONTEXT,
                    [{"id": "a"}],
                    event_id="mine",
                    excluded_actions=["b"],
                    defer_activation=True,
                )
            (sent,) = server.requests
        self.assertEqual("a", answer.action_id)
        self.assertEqual((RankedAction("a", 0.5), RankedAction("b", None)), answer.ranking)
        self.assertEqual(("POST", "/behind/a/proxy/v1/loops/home/rank"), (sent.method, sent.path))
        self.assertEqual(f"Bearer {TOKEN}", sent.headers["authorization"])
        self.assertEqual("application/json", sent.headers["content-type"])
        self.assertEqual(
            {
                "eventId": "mine",
                "context": CONTEXT,
                "actions": [{"id": "a"}],
                "excludedActions": ["b"],
                "deferActivation": True,
            },
            sent.json(),
        )

    def test_only_what_is_given_is_sent(self) -> None:
        with MisbehavingServer(answers(200, DECISION)) as server:
            with CounterflowClient(server.url) as client:
                client.rank("home", CONTEXT)
            (sent,) = server.requests
        self.assertEqual({"eventId", "context"}, set(sent.json()))
        self.assertNotIn("authorization", sent.headers)

    def test_slots_have_decisions_of_their_own(self) -> None:
        slot = {"id": "top", "excludedActions": ["b"]}
        reply = {"eventId": "p", "slots": [{**DECISION, "id": "top"}]}
        with MisbehavingServer(answers(200, reply)) as server:
            with CounterflowClient(server.url) as client:
                page = client.rank_slots("home", CONTEXT, slots=[slot], event_id="p")
            self.assertEqual([slot], server.bodies()[0]["slots"])
        self.assertEqual("p", page.event_id)
        self.assertEqual(("top", "e"), (page.slots[0].id, page.slots[0].event_id))

    def test_a_reward_has_the_time_and_the_metric_of_the_caller(self) -> None:
        with MisbehavingServer(answers(202)) as server, CounterflowClient(server.url) as client:
            time = datetime.datetime(2026, 1, 1, tzinfo=UTC)
            sent = client.reward(
                "home", "a/b c", True, reward_id="r", time=time, metric="guardrail"
            )
            self.assertEqual("r", sent)
            self.assertEqual("/v1/loops/home/events/a%2Fb%20c/reward", server.requests[0].path)
            self.assertEqual(
                {
                    "value": 1.0,
                    "rewardId": "r",
                    "time": "2026-01-01T00:00:00+00:00",
                    "metric": "guardrail",
                },
                server.bodies()[0],
            )

    def test_each_reward_and_command_has_a_new_id(self) -> None:
        with MisbehavingServer(answers(202)) as server, CounterflowClient(server.url) as client:
            ids = {
                client.reward("home", "e", 1),
                client.reward("home", "e", 1),
                client.rollout("home", "promote", "test", version=3),
            }
            self.assertEqual(3, len(ids))
            command = server.bodies()[2]
        self.assertEqual({"action", "version", "reason", "commandId"}, set(command))
        self.assertEqual(("promote", 3), (command["action"], command["version"]))

    def test_changes_of_loops_are_conditional_if_the_caller_wants_it(self) -> None:
        detail = {"loop": "home", "spec": {"bits": 8}, "specVersion": 1, "policyVersion": 0}
        change = {"loop": "home", "version": 2, "change": "immediate", "fields": []}
        with MisbehavingServer(
            answers(200, detail, etag='"one"'),
            answers(200, change, etag='"two"'),
            answers(201, {**change, "change": "created"}, etag='"new"'),
            answers(204),
        ) as server, CounterflowClient(server.url) as client:
            loop = client.get_loop("home")
            changed = client.put_loop("home", {**loop.spec, "bits": 9}, if_match=loop.etag)
            self.assertEqual(("immediate", '"two"'), (changed.change, changed.etag))
            client.put_loop("home", loop.spec, if_none_match="*")
            client.delete_loop("home", if_match='"new"')
            sent = [
                (it.method, it.headers.get("if-match"), it.headers.get("if-none-match"))
                for it in server.requests
            ]
        self.assertEqual(
            [
                ("GET", None, None),
                ("PUT", '"one"', None),
                ("PUT", None, "*"),
                ("DELETE", '"new"', None),
            ],
            sent,
        )

    def test_loops_are_listed_by_name_in_pages(self) -> None:
        page = {"matches": 1, "offset": 0, "loops": [{"loop": "home"}]}
        with MisbehavingServer(answers(200, page)) as server:
            with CounterflowClient(server.url) as client:
                self.assertEqual("home", client.list_loops().loops[0]["loop"])
                client.list_loops(search="a&b", offset=0, limit=10)
            self.assertEqual(
                ["/v1/loops", "/v1/loops?search=a%26b&offset=0&limit=10"],
                [it.path for it in server.requests],
            )

    def test_an_error_has_the_problem_of_the_server(self) -> None:
        with MisbehavingServer(problem(404, "unknown-loop")) as server:
            with CounterflowClient(server.url) as client:
                with self.assertRaises(ProblemResponseError) as failure:
                    client.get_loop("home")
        error = failure.exception
        self.assertEqual("404 urn:counterflow:problem:unknown-loop: a detail (urn:i)", str(error))
        self.assertEqual(404, error.status)
        self.assertEqual("urn:counterflow:problem:unknown-loop", error.type)
        self.assertEqual("unknown-loop", error.title)
        self.assertEqual("a detail", error.detail)
        self.assertEqual("urn:i", error.instance)
        self.assertIsNone(error.retry_after)
        self.assertEqual(str(error), str(pickle.loads(pickle.dumps(error))))

    def test_an_error_of_a_proxy_is_an_error_without_a_problem(self) -> None:
        deep = b"[" * 100_000
        for body in (b"<html>", b"", b"[]", b"null", b'"text"', b'{"type":1}', b"\xff", deep):
            with MisbehavingServer(answers(502, body)) as server:
                with CounterflowClient(server.url) as client:
                    with self.assertRaises(ProblemResponseError) as failure:
                        client.get_loop("home")
            self.assertEqual(
                "502 about:blank: the reply has no problem document (unknown request)",
                str(failure.exception),
            )

    def test_an_answer_of_something_else_is_an_error(self) -> None:
        deep = b"[" * 100_000
        for body in (b"<html>", b"", b"null", b"7", b"{}", b"[]", b'{"actionId":1}', deep):
            with MisbehavingServer(answers(200, body)) as server:
                with CounterflowClient(server.url) as client:
                    for call in (
                        lambda: client.rank("home", CONTEXT),
                        lambda: client.rank_slots("home", CONTEXT, slots=[{"id": "top"}]),
                        lambda: client.get_loop("home"),
                        lambda: client.list_loops(),
                        lambda: client.put_loop("home", {}),
                    ):
                        with self.assertRaisesRegex(CounterflowError, "the reply is not one of"):
                            call()
                self.assertEqual(5, len(server.requests))

    def test_a_call_that_cannot_succeed_is_not_sent(self) -> None:
        with MisbehavingServer(answers(500)) as server, CounterflowClient(server.url) as client:
            for id in ("", None, 7, "x" * 513, ".", ".."):
                with self.assertRaises(ValueError):
                    client.reward("home", id, 1)
                with self.assertRaises(ValueError):
                    client.delete_loop(id)
            for value in (float("nan"), float("inf"), None, "1"):
                with self.assertRaises((ValueError, TypeError)):
                    client.reward("home", "e", value)
            with self.assertRaises(ValueError):
                client.rank("home", {"dense": [float("nan")]})
            with self.assertRaises(ValueError):
                client.rank("home", CONTEXT, event_id="")
            with self.assertRaises(ValueError):
                client.rank("home", CONTEXT, timeout=0)
            with self.assertRaisesRegex(ValueError, "time zone"):
                client.reward("home", "e", 1, time=datetime.datetime(2026, 1, 1))
            self.assertEqual([], server.requests)

    def test_wrong_settings_are_refused_without_showing_the_token(self) -> None:
        url = "http://localhost:8080"
        for server in ("", "localhost:8080", "ftp://host", "http://user:secret@host", url + "?a"):
            with self.assertRaises(ValueError) as failure:
                CounterflowClient(server)
            self.assertNotIn("secret", str(failure.exception))
        for token in ("", "secret\n", "two secrets", "sécret"):
            with self.assertRaises(ValueError) as failure:
                CounterflowClient(url, token=token)
            self.assertNotRegex(str(failure.exception), "s.cret")
        for wrong in ({"timeout": 0}, {"timeout": float("nan")}, {"connect_timeout": -1}):
            with self.assertRaises(ValueError):
                CounterflowClient(url, **wrong)
        for wrong in ({"attempts": 0}, {"first_pause": -1}, {"max_pause": float("nan")}):
            with self.assertRaises(ValueError):
                Retries(**wrong)
        self.assertNotIn("secret", repr(CounterflowClient(url, token=TOKEN)))
