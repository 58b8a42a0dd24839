"""What `streambench bench snet` measures, and its presets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from streambench.errors import OptionError
from streambench.lab.measure.named import require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.measure.snet.cases import CASES

MOST_WORKERS = 64
CHOLESKY = "cholesky"
PAPER: Mapping[str, Sequence[int]] = {
    "fibonacci": (12, 16, 20, 24),
    "power-of-two": (8, 11, 14),
    "sieve-star": (250, 500),
    "sieve-feedback": (250, 500, 1000),
    "sieve-blocks": (8_000_000,),
    "filters": (1_000_000,),
    "stap-like": (40,),
}
QUICK: Mapping[str, Sequence[int]] = {
    "fibonacci": (12, 20),
    "power-of-two": (8,),
    "sieve-star": (100,),
    "sieve-feedback": (500,),
    "sieve-blocks": (2_000_000,),
    "filters": (100_000,),
    "stap-like": (8,),
}
THREADS_UP_TO = {"fibonacci": 20, "power-of-two": 11, "sieve-star": 500, "filters": 10_000}
"""Sizes that the runtime with a thread for each entity is asked for: more take minutes, or too many threads."""
MOST_TILES = 40
"""In a row of a matrix, up to which that runtime is asked: there is a thread for each tile of each column, and more."""


class Point(NamedTuple):
    """What is run, and by whom. ``tile``: the size of a matrix's tiles, else 0; ``concurrency``: calls of one box."""

    case: str
    size: int
    tile: int
    runtime: str
    workers: int
    concurrency: int


@dataclass(frozen=True)
class Settings:
    """Every case in each of its ``sizes`` by FRONT with so many ``workers``, and by a thread for each entity.

    ``cholesky``: sizes of matrices and of their tiles, as "4096/64". ``concurrency``: calls of one box at a time, where
    there are several workers and the case is about that. Raises OptionError for what there is not.
    """

    cases: Sequence[str] = tuple(CASES)
    sizes: Mapping[str, Sequence[int]] = field(default_factory=lambda: PAPER)
    cholesky: Sequence[str] = ("2048/64", "4096/128")
    workers: Sequence[int] = (1, 2)
    concurrency: Sequence[int] = (1, 2, 4, 9)
    repeats: int = 7

    def __post_init__(self) -> None:
        for name in self.cases:
            if name not in CASES:
                raise OptionError(f"there is no case {name!r}: choose from {', '.join(CASES)}.")
        require_once("case", self.cases)
        require_once("number of workers", self.workers)
        require_once("number of calls", self.concurrency)
        require_once("matrix", self.cholesky)
        for each in self.cholesky:
            _matrix(each)
        for name, values in (("workers", self.workers), ("concurrency", self.concurrency)):
            if not all(1 <= each <= MOST_WORKERS for each in values):
                raise OptionError(f"`{name}` must be from 1 to {MOST_WORKERS}, not {', '.join(map(str, values))}.")
        require_repeats(self.repeats)

    def points(self) -> list[Point]:
        """All that is measured; those of one case and size are neighbours."""
        found = []
        for case in self.cases:
            for size, tile in self._sizes(case):
                for workers in self.workers:
                    several = self.concurrency if CASES[case].concurrency and workers > 1 else (1,)
                    found += [Point(case, size, tile, "front", workers, each) for each in several]
                if size <= THREADS_UP_TO.get(case, size) and (not tile or size <= MOST_TILES * tile):
                    found.append(Point(case, size, tile, "threads", 1, 1))
        return found

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        sizes = {case: list(self.sizes[case]) for case in self.cases if case != CHOLESKY}
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {**listed, "sizes": sizes}

    def _sizes(self, case: str) -> Iterator[tuple[int, int]]:
        if case == CHOLESKY:
            yield from map(_matrix, self.cholesky)
        else:
            yield from ((size, 0) for size in self.sizes[case])


def _matrix(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text)
    if not found:
        raise OptionError(f"`cholesky` takes sizes of matrix and tile as 4096/64, not {text!r}.")
    size, tile = int(found[1]), int(found[2])
    if size % tile:
        raise OptionError(f"`cholesky` takes tiles that divide the matrix: {size} is no multiple of {tile}.")
    return size, tile


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "quick": {"sizes": QUICK, "cholesky": ("512/32",), "concurrency": (1, 4), "repeats": 3},
    "big": {"cholesky": ("4096/64", "8192/128"), "workers": (1, 2, 4, 8, 16)},
}
"""`paper`: the sizes of section 5 that two cores can do. `quick`: smaller ones, in about a minute. `big`: the
paper's own matrices, for a machine with cores to spare."""
