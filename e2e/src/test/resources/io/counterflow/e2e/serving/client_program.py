"""Calls a server with the client for Python. ClientLibrariesIT runs it, and checks the output."""

from __future__ import annotations

import datetime
import sys
from typing import Callable

from counterflow_client import CounterflowClient, ProblemResponseError, Retries

_, server, token = sys.argv
LOOP = "python-home"


def show(*values: object) -> None:
    """Prints as JavaScript does."""
    print(*(str(it).lower() if isinstance(it, bool) else it for it in values))


def refused(call: Callable[[], object]) -> None:
    try:
        call()
        show("accepted")
    except ProblemResponseError as e:
        show(e.status, e.type.replace("urn:counterflow:problem:", ""), e.is_temporary)


with CounterflowClient(server, token=token, retries=Retries(attempts=3)) as client:
    # loops
    created = client.put_loop(LOOP, {"bits": 8, "guardrailMargin": 0.1}, if_none_match="*")
    show(created.change, created.version)
    refused(lambda: client.put_loop(LOOP, {"bits": 8}, if_none_match="*"))
    loop = client.get_loop(LOOP)
    show(loop.spec_version, loop.etag == created.etag, loop.spec["bits"], loop.spec["rolloutMode"])
    changed = {**loop.spec, "explorationFloor": 0.25}
    change = client.put_loop(LOOP, changed, if_match=loop.etag)
    show(change.change, change.fields[0]["name"], change.etag != loop.etag)
    refused(lambda: client.put_loop(LOOP, changed, if_match=loop.etag))
    page = client.list_loops(search=LOOP, limit=10)
    show(page.matches, page.loops[0]["loop"])
    old = client.put_loop("python-old", {"actions": ["a", "b"], "features": 2})
    refused(lambda: client.delete_loop("python-old", if_match=loop.etag))
    sparse = {"dimension": 2, "indices": [0], "values": [0.5]}
    for context in ({"dense": [0.5, 0]}, {"sparse": sparse}):
        decision = client.rank("python-old", context)
        show(decision.propensity, len(decision.ranking))
    client.delete_loop("python-old", if_match=old.etag)
    refused(lambda: client.get_loop("python-old"))

    # decisions
    user = {"country": "de", "age": 0.3, "likes": ["sport", "film"], "new": True}
    derby = {"id": "derby", "features": {"topic": "sport"}}
    actions = [derby, {"id": "budget"}, {"id": "premiere"}]

    def rank(loop_name: str) -> object:
        return client.rank(
            loop_name,
            {"features": {"user": user}},
            actions,
            event_id="python-1",
            excluded_actions=["budget"],
            defer_activation=True,
        )

    decision = rank(LOOP)
    show(
        decision.event_id,
        decision.policy_version,
        decision.propensity,
        decision.propensity_kind,
        decision.logged,
    )
    show(rank(LOOP) == decision)
    client.activate(LOOP, decision.event_id)
    now = datetime.datetime.now(datetime.timezone.utc)
    show(client.reward(LOOP, decision.event_id, 0.5, reward_id="python-click", time=now))
    client.reward(LOOP, decision.event_id, 0, metric="guardrail")
    slots = client.rank_slots(
        LOOP,
        {"features": {}},
        [{"id": "derby"}, {"id": "budget"}, {"id": "premiere"}],
        slots=[
            {"id": "top"},
            {"id": "side", "features": {"size": "small"}, "excludedActions": ["budget"]},
        ],
        event_id="python-page",
    )
    show(slots.event_id, *(f"{slot.id}={slot.event_id}" for slot in slots.slots))
    client.reward(LOOP, slots.slots[0].event_id, 1)
    show(client.rollout(LOOP, "pause", "a test", command_id="python-pause"))

    # errors
    refused(lambda: rank("nowhere"))
    refused(lambda: client.reward(LOOP, decision.event_id, 2))
    with CounterflowClient(server, token="unknown") as stranger:
        refused(stranger.list_loops)
