"""What the client sends again, to a server that misbehaves."""

from __future__ import annotations

import email.utils
import time
import unittest
from unittest import mock

from counterflow_client import (
    ConnectionFailedError,
    CounterflowClient,
    CounterflowError,
    ProblemResponseError,
    RequestTimeoutError,
    Retries,
)

from .misbehaving_server import (
    DECISION,
    MisbehavingServer,
    answers,
    answers_and_closes,
    breaks_off,
    breaks_off_a_chunk,
    drips,
    hangs_up,
    is_silent,
    problem,
    resets,
)

CONTEXT = {"features": {}}
ACTIONS = [{"id": "a"}]
ONCE = Retries(attempts=1)

# The problems after which a call is repeated.
PASSING = {
    "reset": resets,
    "closed without an answer": hangs_up,
    "breaks off": breaks_off,
    "breaks off in a chunk": breaks_off_a_chunk,
    "429": problem(429, "too-many-requests"),
    "503": problem(503, "not-logged"),
}


class RetriesTest(unittest.TestCase):
    def setUp(self) -> None:
        sleep = mock.patch("counterflow_client.client.sleep")
        self.sleep = sleep.start()
        self.addCleanup(sleep.stop)

    def pauses(self) -> list[float]:
        return [it.args[0] for it in self.sleep.call_args_list]

    def test_a_decision_is_asked_for_again_with_the_same_event_id(self) -> None:
        for name, failure in PASSING.items():
            with self.subTest(name), MisbehavingServer(failure, answers(200, DECISION)) as server:
                with CounterflowClient(server.url) as client:
                    self.assertEqual("a", client.rank("home", CONTEXT, ACTIONS).action_id)
                first, second = server.bodies()
                self.assertEqual(first, second)
                self.assertRegex(first["eventId"], "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

    def test_slots_are_asked_for_again_with_the_same_event_id(self) -> None:
        reply = answers(200, {"eventId": "p", "slots": []})
        with MisbehavingServer(resets, reply) as server:
            with CounterflowClient(server.url) as client:
                client.rank_slots("home", CONTEXT, ACTIONS, slots=[{"id": "top"}])
            first, second = server.bodies()
            self.assertEqual(first, second)
            self.assertTrue(first["eventId"])

    def test_a_reward_is_sent_again_with_the_same_reward_id(self) -> None:
        for name, failure in PASSING.items():
            with self.subTest(name):
                with MisbehavingServer(failure, failure, failure, answers(202)) as server:
                    with CounterflowClient(server.url) as client:
                        reward_id = client.reward("home", "e", 1)
                    self.assertEqual([{"value": 1.0, "rewardId": reward_id}] * 4, server.bodies())

    def test_pauses_double(self) -> None:
        with MisbehavingServer(resets) as server, CounterflowClient(server.url) as client:
            with self.assertRaises(ConnectionFailedError):
                client.activate("home", "e")
            self.assertEqual([0.25, 0.5, 1.0, 2.0], self.pauses())
            self.assertEqual(5, len(server.requests))

    def test_a_decision_is_asked_for_twice_at_most(self) -> None:
        with MisbehavingServer(problem(503, "not-logged")) as server:
            with CounterflowClient(server.url) as client:
                with self.assertRaises(ProblemResponseError) as failure:
                    client.rank("home", CONTEXT, ACTIONS, event_id="mine")
        self.assertEqual(503, failure.exception.status)
        self.assertEqual("mine", failure.exception.event_id)
        self.assertTrue(failure.exception.is_temporary)
        self.assertEqual(2, len(server.requests))
        self.assertEqual([0.05], self.pauses())

    def test_a_decision_that_does_not_arrive_in_time_is_not_asked_for_again(self) -> None:
        for behaviour in (is_silent, drips):
            with MisbehavingServer(behaviour) as server, CounterflowClient(server.url) as client:
                with self.assertRaisesRegex(
                    RequestTimeoutError, "POST http://.*/v1/loops/home/rank: no reply within 0.1 s"
                ):
                    client.rank("home", CONTEXT, ACTIONS, timeout=0.1)
                self.assertEqual(1, len(server.requests))

    def test_a_reward_that_is_not_answered_in_time_is_sent_again(self) -> None:
        with MisbehavingServer(is_silent, drips, answers(202)) as server:
            with CounterflowClient(server.url, timeout=0.2) as client:
                client.reward("home", "e", 1)
            self.assertEqual(3, len(server.requests))
            self.assertEqual(1, len({it.body for it in server.requests}))

    def test_errors_have_the_ids_to_go_on_with(self) -> None:
        with MisbehavingServer(problem(503, "not-logged")) as server:
            with CounterflowClient(server.url, retries=ONCE) as client:
                with self.assertRaises(CounterflowError) as failure:
                    client.reward("home", "e", 1, reward_id="r")
                error = failure.exception
                self.assertEqual(("e", "r"), (error.event_id, error.reward_id))
                with self.assertRaises(CounterflowError) as failure:
                    client.activate("home", "e")
                self.assertEqual("e", failure.exception.event_id)
                with self.assertRaises(CounterflowError) as failure:
                    client.rollout("home", "pause", "test", command_id="c")
                self.assertEqual("c", failure.exception.command_id)
        self.assertEqual(3, len(server.requests))

    def test_what_the_server_will_never_take_is_sent_once(self) -> None:
        for status in (400, 401, 403, 404, 409, 413, 500, 502, 302):
            with MisbehavingServer(problem(status, "some-problem", location="/")) as server:
                with CounterflowClient(server.url) as client:
                    with self.assertRaises(ProblemResponseError) as failure:
                        client.reward("home", "e", 1)
                self.assertEqual(status, failure.exception.status)
                self.assertFalse(failure.exception.is_temporary)
                self.assertEqual(1, len(server.requests))

    def test_the_server_says_how_long_to_wait(self) -> None:
        busy = problem(429, "too-many-requests", retry_after="7")
        with MisbehavingServer(busy, answers(202)) as server:
            with CounterflowClient(server.url) as client:
                client.activate("home", "e")
        self.assertEqual([7.0], self.pauses())

    def test_a_call_fails_at_once_if_it_has_to_wait_longer_than_it_may(self) -> None:
        for retry_after in ("3600", email.utils.formatdate(time.time() + 3_600, usegmt=True)):
            refused = problem(503, "not-ready", retry_after=retry_after)
            with MisbehavingServer(refused) as server, CounterflowClient(server.url) as client:
                with self.assertRaises(ProblemResponseError) as failure:
                    client.reward("home", "e", 1)
                self.assertAlmostEqual(3_600, failure.exception.retry_after, delta=100)
                self.assertEqual(1, len(server.requests))

    def test_a_header_that_says_nothing_about_the_time_to_wait_is_ignored(self) -> None:
        for retry_after in ("", "soon", "-1"):
            refused = problem(503, "not-ready", retry_after=retry_after)
            with MisbehavingServer(refused, answers(202)) as server:
                with CounterflowClient(server.url) as client:
                    client.activate("home", "e")
                self.assertEqual(2, len(server.requests))
        self.assertEqual([0.25] * 3, self.pauses())

    def test_reading_loops_is_repeated_and_changing_them_is_not(self) -> None:
        detail = {"loop": "home", "spec": {}, "specVersion": 1, "policyVersion": 0}
        with MisbehavingServer(resets, answers(200, detail)) as server:
            with CounterflowClient(server.url) as client:
                client.get_loop("home")
            self.assertEqual(2, len(server.requests))
        page = {"matches": 0, "offset": 0, "loops": []}
        with MisbehavingServer(resets, answers(200, page)) as server:
            with CounterflowClient(server.url) as client:
                client.list_loops()
            self.assertEqual(2, len(server.requests))
        for failure in (problem(503, "not-ready"), hangs_up):
            with MisbehavingServer(answers(202), failure) as server:
                with CounterflowClient(server.url) as client:
                    client.activate("home", "e")  # leaves a connection
                    with self.assertRaises(CounterflowError):
                        client.put_loop("home", {"bits": 8})
                    with self.assertRaises(CounterflowError):
                        client.delete_loop("home")
                self.assertEqual(3, len({it.port for it in server.requests}))

    def test_a_server_that_is_away_is_a_failed_connection_in_the_end(self) -> None:
        with MisbehavingServer(resets) as server:
            pass
        with CounterflowClient(server.url) as client:
            with self.assertRaisesRegex(ConnectionFailedError, "refused") as failure:
                client.reward("home", "e", 1)
        self.assertTrue(failure.exception.reward_id)
        self.assertIsInstance(failure.exception, ConnectionError)
        self.assertEqual(4, len(self.pauses()))


class ConnectionsTest(unittest.TestCase):
    def test_calls_share_a_connection(self) -> None:
        with MisbehavingServer(answers(202)) as server, CounterflowClient(server.url) as client:
            for _ in range(3):
                client.activate("home", "e")
            self.assertEqual(1, len({it.port for it in server.requests}))

    def test_a_kept_connection_that_is_closed_is_replaced_at_once(self) -> None:
        with MisbehavingServer(answers_and_closes(202), answers_and_closes(202)) as server:
            with CounterflowClient(server.url, retries=ONCE) as client:
                for _ in range(5):
                    client.activate("home", "e")
            self.assertEqual(5, len(server.requests))

    def test_an_old_connection_and_one_of_another_process_are_not_used(self) -> None:
        with MisbehavingServer(answers(202)) as server, CounterflowClient(server.url) as client:
            client.activate("home", "e")
            with mock.patch("counterflow_client.transport.os.getpid", return_value=-1):
                client.activate("home", "e")
                with mock.patch("counterflow_client.transport._MAX_IDLE", 0.0):
                    client.activate("home", "e")
            self.assertEqual(3, len({it.port for it in server.requests}))

    def test_a_reply_with_an_error_leaves_the_connection_usable(self) -> None:
        with MisbehavingServer(problem(400, "bad-request"), answers(202)) as server:
            with CounterflowClient(server.url) as client:
                with self.assertRaises(ProblemResponseError):
                    client.activate("home", "e")
                client.activate("home", "e")
            self.assertEqual(1, len({it.port for it in server.requests}))
