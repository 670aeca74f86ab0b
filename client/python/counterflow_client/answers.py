"""What calls return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class RankedAction:
    """An action and its probability, if it is known."""

    id: str
    probability: Optional[float]


@dataclass(frozen=True)
class RankAnswer:
    """A decision.

    Attributes:
        event_id: the event that rewards are sent for
        policy_version: the version that decided
        action: position of the chosen action, from 0
        action_id: the action to show
        propensity: its probability
        propensity_kind: ``exact``, ``estimated`` or ``upperBound``
        logged: whether Kafka has acknowledged the decision; otherwise nothing is learned from it
        ranking: the chosen action, then the others by probability
    """

    event_id: str
    loop: str
    policy_version: int
    action: int
    action_id: str
    propensity: float
    propensity_kind: str
    logged: bool
    ranking: tuple[RankedAction, ...]


@dataclass(frozen=True)
class SlotAnswer(RankAnswer):
    """The decision for a slot, which has an event id of its own."""

    id: str


@dataclass(frozen=True)
class SlotsAnswer:
    """Decisions for the slots of a page, in the order of the request."""

    event_id: str
    slots: tuple[SlotAnswer, ...]


@dataclass(frozen=True)
class Loop:
    """A loop.

    Attributes:
        spec: all settings, with the names in docs/loops.md
        policy_version: the active version; it decides all events except those of the canary
        waiting_spec: a spec that takes effect with the next generation
        etag: changes with each spec; send it as ``if_match``
        answer: the whole answer of the server
    """

    loop: str
    spec: dict[str, Any]
    spec_version: int
    policy_version: int
    waiting_spec: Optional[dict[str, Any]]
    etag: Optional[str]
    answer: dict[str, Any]


@dataclass(frozen=True)
class LoopPage:
    """A page of the loops, by name.

    Attributes:
        matches: number of loops on all pages
        offset: number of loops before this page
        loops: per loop its name as ``loop``, ``specVersion``, ``policyVersion`` and more
    """

    matches: int
    offset: int
    loops: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class SpecChange:
    """What a new spec has changed.

    Attributes:
        version: of the spec
        change: ``created``, ``unchanged``, ``immediate`` or ``nextGeneration``
        fields: per setting that differs its ``name``, ``verdict`` and ``reason``
        etag: of the new spec
    """

    loop: str
    version: int
    change: str
    fields: tuple[dict[str, Any], ...]
    etag: Optional[str]


def rank_answer(json: dict[str, Any]) -> RankAnswer:
    return RankAnswer(**_decision(json))


def slots_answer(json: dict[str, Any]) -> SlotsAnswer:
    slots = tuple(SlotAnswer(id=slot["id"], **_decision(slot)) for slot in json["slots"])
    return SlotsAnswer(json["eventId"], slots)


def _decision(json: dict[str, Any]) -> dict[str, Any]:
    return {
        "event_id": json["eventId"],
        "loop": json["loop"],
        "policy_version": json["policyVersion"],
        "action": json["action"],
        "action_id": json["actionId"],
        "propensity": json["propensity"],
        "propensity_kind": json["propensityKind"],
        "logged": json["logged"],
        "ranking": tuple(RankedAction(it["id"], it.get("probability")) for it in json["ranking"]),
    }


def loop(json: dict[str, Any], etag: Optional[str]) -> Loop:
    return Loop(
        loop=json["loop"],
        spec=json["spec"],
        spec_version=json["specVersion"],
        policy_version=json["policyVersion"],
        waiting_spec=json.get("waitingSpec"),
        etag=etag,
        answer=json,
    )


def loop_page(json: dict[str, Any]) -> LoopPage:
    return LoopPage(json["matches"], json["offset"], tuple(json["loops"]))


def spec_change(json: dict[str, Any], etag: Optional[str]) -> SpecChange:
    return SpecChange(json["loop"], json["version"], json["change"], tuple(json["fields"]), etag)
