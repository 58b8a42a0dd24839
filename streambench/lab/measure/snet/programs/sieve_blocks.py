"""The boxes of the sieve in blocks, on NumPy: numbers are divided by primes outside the GIL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint32]
LEAST_BLOCK = 262_144  # numbers: so that dividing them takes longer than handing over the GIL
PRIMES = 12  # of a replica


@dataclass(frozen=True)
class Block:
    """``numbers`` that no prime so far divides; ``most``: primes up to there are divided by."""

    numbers: Numbers
    most: int


def cut(most: int, last: int) -> Iterator[dict[str, Any]]:
    """Numbers from 2 to ``last``, the first block with all that are up to ``most``."""
    if most < 2:
        return
    size = max(LEAST_BLOCK, most)
    for first in range(2, last + 1, size):
        yield {"block": Block(np.arange(first, min(first + size, last + 1), dtype=np.uint32), most)}


def begin() -> dict[str, Any]:
    """No primes are known, and none are looked for yet."""
    return {"primes": None}


def cross(primes: tuple[int, ...] | None, block: Block) -> list[dict[str, Any]]:
    """The first block of a replica has its primes: the least numbers, as long as they are not above ``most``.

    A replica that finds none is the end.
    """
    numbers = block.numbers
    if primes is None:
        primes = ()
        while len(primes) < PRIMES and len(numbers) and numbers[0] <= block.most:
            primes = (*primes, int(numbers[0]))
            numbers = numbers[numbers % numbers[0] != 0]
    else:
        for prime in primes:
            numbers = numbers[numbers % np.uint32(prime) != 0]
    record: dict[str, Any] = {"block": Block(numbers, block.most)}
    return [record if primes else record | {"<done>": 1}, {"primes": primes}]
