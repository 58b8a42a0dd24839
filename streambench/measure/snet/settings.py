"""What `streambench snet bench` measures, and its presets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from streambench.errors import OptionError
from streambench.measure.named import require_once
from streambench.measure.snet.cases import CASES

MOST_WORKERS = 64
PAPER: Mapping[str, Sequence[int]] = {
    "fibonacci": (12, 16, 20, 24),
    "power-of-two": (8, 11, 14),
    "sieve-star": (250, 500),
    "sieve-feedback": (250, 500, 1000),
    "filters": (1_000_000,),
    "cholesky": (1024, 2048),
}
QUICK: Mapping[str, Sequence[int]] = {
    "fibonacci": (12, 20),
    "power-of-two": (8,),
    "sieve-star": (100,),
    "sieve-feedback": (500,),
    "filters": (100_000,),
    "cholesky": (512,),
}
THREADS_UP_TO = {"fibonacci": 20, "power-of-two": 11, "sieve-star": 500, "filters": 100_000}
"""Sizes that the runtime with a thread for each entity is asked for: more take minutes, or too many threads."""


class Point(NamedTuple):
    """What is run, and by whom."""

    case: str
    size: int
    runtime: str
    workers: int


@dataclass(frozen=True)
class Settings:
    """Every case in each of its ``sizes`` by FRONT with so many ``workers``, and by a thread for each entity.

    Raises OptionError for what there is not.
    """

    cases: Sequence[str] = tuple(CASES)
    sizes: Mapping[str, Sequence[int]] = field(default_factory=lambda: PAPER)
    workers: Sequence[int] = (1, 2)
    repeats: int = 7

    def __post_init__(self) -> None:
        for name in self.cases:
            if name not in CASES:
                raise OptionError(f"there is no case {name!r}: choose from {', '.join(CASES)}.")
        require_once("case", self.cases)
        require_once("number of workers", self.workers)
        if not all(1 <= each <= MOST_WORKERS for each in self.workers):
            raise OptionError(f"`workers` must be from 1 to {MOST_WORKERS}, not {', '.join(map(str, self.workers))}.")
        if self.repeats < 1:
            raise OptionError(f"`repeats` must be at least 1, not {self.repeats}.")

    def points(self) -> list[Point]:
        """All that is measured; those of one case and size are neighbours."""
        found = []
        for case in self.cases:
            for size in self.sizes[case]:
                found += [Point(case, size, "front", workers) for workers in self.workers]
                if size <= THREADS_UP_TO.get(case, size):
                    found.append(Point(case, size, "threads", 1))
        return found

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        sizes = {case: list(self.sizes[case]) for case in self.cases}
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {**listed, "sizes": sizes}


PRESETS: dict[str, dict[str, Any]] = {"paper": {}, "quick": {"sizes": QUICK, "repeats": 3}}
"""`paper`: the sizes of section 5 that two cores can do. `quick`: smaller ones, in about a minute."""
