"""Asks a Counterflow server for decisions and sends it rewards."""

from .answers import Loop, LoopPage, RankAnswer, RankedAction, SlotAnswer, SlotsAnswer, SpecChange
from .client import CounterflowClient
from .errors import (
    ConnectionFailedError,
    CounterflowError,
    ProblemResponseError,
    RequestTimeoutError,
)
from .retries import Retries

__all__ = [
    "ConnectionFailedError",
    "CounterflowClient",
    "CounterflowError",
    "Loop",
    "LoopPage",
    "ProblemResponseError",
    "RankAnswer",
    "RankedAction",
    "RequestTimeoutError",
    "Retries",
    "SlotAnswer",
    "SlotsAnswer",
    "SpecChange",
]
