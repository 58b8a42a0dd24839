"""What is run: programs, the records that go in, and what must come out, by arithmetic that knows nothing of nets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from streambench.snet.boxes import Boxes
from streambench.snet.net import Net
from streambench.snet.programs import cholesky, sieve

Dicts = list[dict[str, Any]]
FILTERS = 20  # of the pipeline


@dataclass(frozen=True)
class Case:
    """``records``: what goes in, by size; ``problem``: what is wrong with what came out, None if nothing is.

    ``calls``: of filters and the like, where the case is about them.
    """

    program: str
    records: Callable[[int], Dicts]
    problem: Callable[[int, Dicts], str | None]
    boxes: Boxes | None = None
    calls: Callable[[int], int] | None = None

    def net(self) -> Net:
        """The program, parsed anew."""
        name = f"{self.program}.snet"
        return Net.parse(resources.files("streambench.snet.programs").joinpath(name).read_text("utf-8"), name)


def _is(known: Callable[[int], Dicts]) -> Callable[[int, Dicts], str | None]:
    def problem(size: int, made: Dicts) -> str | None:
        return None if made == known(size) else f"{len(made)} records came out, {str(made)[:100]}"

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


def _sieve(program: str) -> Case:
    def problem(size: int, made: Dicts) -> str | None:
        if made:
            return f"{len(made)} records came out, where there are none"
        net = case.net()  # N = M has no output, so that others are looked at, too
        for most, last in ((2, 30), (10, 30), (30, 50), (100, 200)):
            found = [each["<X>"] for each in net.run([{"<N>": most, "<M>": last}], sieve, runtime="front")]
            if found != sieved(most, last):
                return f"of {most} and {last} it gives {found}"
        return None

    case = Case(program, lambda size: [{"<N>": size, "<M>": size}], problem, sieve)
    return case


@cache
def matrix(size: int) -> Any:
    """A symmetric, positive definite one."""
    drawn = np.random.default_rng(1).normal(size=(size, size))
    return drawn @ drawn.T + size * np.eye(size)


def _cholesky(size: int, made: Dicts) -> str | None:
    (one,) = made
    error = float(np.abs(one["L"] - np.linalg.cholesky(matrix(size))).max())
    return None if error < 1e-6 * size else f"it is wrong by {error:g}"


def _filtered(size: int) -> Dicts:
    return [{"<v>": value + FILTERS} for value in range(size, 0, -1) if value % 100_000 == 0]


CASES: Mapping[str, Case] = {
    "fibonacci": Case("fibonacci", lambda size: [{"<N>": size}], _is(lambda size: [{"<X>": fibonacci(size)}])),
    "power-of-two": Case("power_of_two", lambda size: [{"<N>": size}], _is(lambda size: [{"<X>": 2**size}])),
    "sieve-star": _sieve("sieve_star"),
    "sieve-feedback": _sieve("sieve_feedback"),
    "filters": Case("filters", lambda size: [{"<n>": size}], _is(_filtered), calls=lambda size: size * FILTERS),
    "cholesky": Case("cholesky", lambda size: [{"A": matrix(size), "<size>": max(1, size // 16)}], _cholesky, cholesky),
}
"""By name. The size of `cholesky` is that of the matrix, which is cut into 16 by 16 tiles; of the sieves N and M."""
