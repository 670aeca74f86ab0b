"""When a call is repeated, and after which pause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .errors import (
    ConnectionFailedError,
    CounterflowError,
    ProblemResponseError,
    RequestTimeoutError,
)


@dataclass(frozen=True)
class Retries:
    """How often a call is repeated.

    Attributes:
        attempts: limit on attempts; 1 for no retry
        first_pause: seconds before the second attempt, which double for each further attempt
        max_pause: longest pause; if the server asks for a longer one, the call fails at once
    """

    attempts: int = 5
    first_pause: float = 0.25
    max_pause: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, got {self.attempts}")
        for name in ("first_pause", "max_pause"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")

    def pause_after(
        self, attempt: int, error: CounterflowError, repeat_timeouts: bool
    ) -> Optional[float]:
        """The seconds before the next attempt, or None if there is none."""
        if attempt >= self.attempts:
            return None
        pause = min(self.first_pause * 2.0 ** min(attempt - 1, 30), self.max_pause)
        if isinstance(error, ProblemResponseError) and error.is_temporary:
            asked = error.retry_after or 0.0
            return max(pause, asked) if asked <= self.max_pause else None
        again = isinstance(error, ConnectionFailedError) or (
            isinstance(error, RequestTimeoutError) and repeat_timeouts
        )
        return pause if again else None
