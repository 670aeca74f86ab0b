"""Shows articles to simulated readers, who read what they like.

Run it several times, with pauses of ten seconds, to see the loop learn:

    python3 examples/front_page.py [SERVER]

The server is http://localhost:8080 by default. COUNTERFLOW_TOKEN is its token, if it needs one.
"""

from __future__ import annotations

import os
import sys

from counterflow_client import CounterflowClient, ProblemResponseError

LOOP = "example-front-page"
TOPICS = {"derby": "sport", "budget": "politics", "premiere": "film"}
ARTICLES = [{"id": id, "features": {"topic": topic}} for id, topic in TOPICS.items()]
VISITS = 30


def create_loop(client: CounterflowClient) -> None:
    spec = {"bits": 18, "attributionWindow": "5s", "rolloutMode": "immediate"}
    try:
        client.put_loop(LOOP, spec, if_none_match="*")
    except ProblemResponseError as e:
        if e.status != 412:  # 412: it exists
            raise


def visit(client: CounterflowClient, likes: str) -> bool:
    decision = client.rank(LOOP, {"features": {"user": {"likes": likes}}}, ARTICLES)
    is_read = TOPICS[decision.action_id] == likes
    if is_read:
        client.reward(LOOP, decision.event_id, 1)
    end = " and reads it" if is_read else ""
    print(f"version {decision.policy_version}: {likes} fan sees {decision.action_id}{end}")
    return is_read


def main() -> None:
    server = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
    with CounterflowClient(server, token=os.environ.get("COUNTERFLOW_TOKEN")) as client:
        create_loop(client)
        topics = list(TOPICS.values())
        reads = sum(visit(client, topics[i % len(topics)]) for i in range(VISITS))
        print(f"{reads} of {VISITS} articles were read")


if __name__ == "__main__":
    main()
