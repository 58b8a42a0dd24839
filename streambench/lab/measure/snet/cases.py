"""What is run: programs, the records that go in, and what must come out, by arithmetic that knows nothing of nets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from streambench.lab.measure.snet import bursts
from streambench.lab.measure.snet.programs import cholesky, sieve, sieve_blocks, stap_like
from streambench.snet.boxes import Boxes
from streambench.snet.net import Net

Dicts = list[dict[str, Any]]
FILTERS = 20  # of the pipeline
SIEVED = 1000  # the N of the sieve in blocks: 168 primes


@dataclass(frozen=True)
class SnetCase:
    """``records``: what goes in, by sizes of it and of a tile; ``problem``: what is wrong with what came out, or None.

    ``calls``: of filters and the like, where the case is about them. ``concurrency``: how many calls of one box may be
    under way is what the case is about.
    """

    program: str
    records: Callable[[int, int], Dicts]
    problem: Callable[[int, Dicts], str | None]
    boxes: Boxes | None = None
    calls: Callable[[int], int] | None = None
    concurrency: bool = False

    def net(self) -> Net:
        """The program, parsed anew."""
        name = f"{self.program}.snet"
        return Net.parse(
            resources.files("streambench.lab.measure.snet.programs").joinpath(name).read_text("utf-8"), name
        )


def _is(known: Callable[[int], Dicts]) -> Callable[[int, Dicts], str | None]:
    def problem(size: int, records: Dicts) -> str | None:
        return None if records == known(size) else f"{len(records)} records came out, {str(records)[:100]}"

    return problem


def fibonacci(n: int) -> int:
    """Its n-th number, as a tag has it: 32 bits."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def sieved(most: int, last: int) -> list[int]:
    """The numbers above ``most``, up to ``last``, that no prime up to ``most`` divides."""
    return [n for n in range(max(most, 1) + 1, last + 1) if most >= 2 and all(n % p for p in range(2, most + 1))]


def _sieve(program: str) -> SnetCase:
    def problem(size: int, records: Dicts) -> str | None:
        if records:
            return f"{len(records)} records came out, where there are none"
        net = case.net()  # N = M has no output, so that others are looked at, too
        for most, last in ((2, 30), (10, 30), (30, 50), (100, 200)):
            primes = [each["<X>"] for each in net.run([{"<N>": most, "<M>": last}], sieve, runtime="front")]
            if primes != sieved(most, last):
                return f"of {most} and {last} it gives {primes}"
        return None

    case = SnetCase(program, lambda size, tile: [{"<N>": size, "<M>": size}], problem, sieve)
    return case


def _sieve_blocks(size: int, records: Dicts) -> str | None:
    left = np.ones(size + 1, bool)  # another way: multiples are crossed out, nothing is divided
    left[: SIEVED + 1] = False
    for n in range(2, SIEVED + 1):
        left[::n] = False
    numbers = np.concatenate([each["block"].numbers for each in records] or [np.empty(0)])
    return None if np.array_equal(np.sort(numbers), np.flatnonzero(left)) else f"{len(numbers)} numbers came out"


@cache
def matrix(size: int) -> Any:
    """A symmetric, positive definite one."""
    drawn = np.random.default_rng(1).normal(size=(size, 64))
    return drawn @ drawn.T + 64 * np.eye(size)


@cache
def _factor(size: int) -> Any:
    return np.linalg.cholesky(matrix(size))


def _cholesky(size: int, records: Dicts) -> str | None:
    (one,) = records
    error = float(np.abs(one["L"] - _factor(size)).max())
    return None if error < 1e-9 * size else f"it is wrong by {error:g}"


def _filtered(size: int) -> Dicts:
    return [{"<v>": value + FILTERS} for value in range(size, 0, -1) if value % 100_000 == 0]


CASES: Mapping[str, SnetCase] = {
    "fibonacci": SnetCase(
        "fibonacci", lambda size, tile: [{"<N>": size}], _is(lambda size: [{"<X>": fibonacci(size)}])
    ),
    "power-of-two": SnetCase("power_of_two", lambda size, tile: [{"<N>": size}], _is(lambda size: [{"<X>": 2**size}])),
    "sieve-star": _sieve("sieve_star"),
    "sieve-feedback": _sieve("sieve_feedback"),
    "sieve-blocks": SnetCase(
        "sieve_blocks", lambda size, tile: [{"<N>": SIEVED, "<M>": size}], _sieve_blocks, sieve_blocks
    ),
    "filters": SnetCase(
        "filters", lambda size, tile: [{"<n>": size}], _is(_filtered), calls=lambda size: size * FILTERS
    ),
    "cholesky": SnetCase(
        "cholesky",
        lambda size, tile: [{"A": matrix(size), "<size>": tile}],
        _cholesky,
        cholesky,
    ),
    "stap-like": SnetCase(
        "stap_like", lambda size, tile: bursts.bursts(size), bursts.problem, stap_like, concurrency=True
    ),
}
"""By name. The size of `cholesky` is that of the matrix, of `stap-like` the number of bursts, of the sieves M,
which is N but in blocks."""
