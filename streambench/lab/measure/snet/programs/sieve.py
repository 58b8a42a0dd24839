"""The boxes of both sieves: numbers from 2 to M, of which those above N that no prime up to N divides are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

State = tuple[int, tuple[int, ...]]
"""N, and the primes up to N that have been found so far."""


def numbers(most: int, last: int) -> Iterator[dict[str, Any]]:
    """No prime has been found yet; then every number."""
    if most >= 2:
        yield {"state": (most, ())}
        for number in range(2, last + 1):
            yield {"<inval>": number}


def compute(state: State, number: int) -> list[dict[str, Any]]:
    """The number if it is one of those that are looked for, and the state for the next number."""
    most, primes = state
    if any(number % prime == 0 for prime in primes):
        return [{"state": state}]
    if number <= most:
        return [{"state": (most, (*primes, number))}]
    return [{"<X>": number}, {"state": state}]
