"""The tuples of paper 001, section VI, made in memory: R ⟨ts, x, y, z⟩ and S ⟨ts, a, b, c, d⟩.

x, y, a and b are uniform from 1 to 10,000, and a pair matches where |x - a| <= 10 and |y - b| <= 10: one of 250,000. In
event time both streams have one tuple a tick, so that a window of seconds is one of ticks, whatever the rate.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

BAND = 10
LOW, HIGH = 1, 10_000
FEWEST_PAIRS_A_MATCH = 225_000  # 21 of 10,000 integers are within the band, and 20 of 9,999 floats: 238,000 about
OUTPUT = np.dtype(
    [("ts", "<i8"), ("x", "<i4"), ("y", "<f4"), ("z", "S20"), ("a", "<i4"), ("b", "<f4"), ("c", "<f8"), ("d", "?")]
)
"""An output tuple; its ts is the later one's."""
CHECKED_PAIRS = 200_000_000  # by the naive join, of one definition

Column = npt.NDArray[Any]
AT_ONCE = 1 << 20  # output tuples, which a large window has by the gigabyte

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


class PaperStreams:
    """``tuples`` of each side, always the same ones for a ``seed``, the first ones whatever their number."""

    def __init__(self, tuples: int, seed: int = 1) -> None:
        self.tuples = tuples
        generators = [np.random.default_rng([seed, number]) for number in range(7)]
        self.x: Column = generators[0].integers(LOW, HIGH + 1, tuples)
        self.a: Column = generators[1].integers(LOW, HIGH + 1, tuples)
        self.y: Column = generators[2].uniform(LOW, HIGH, tuples).astype(np.float32)
        self.b: Column = generators[3].uniform(LOW, HIGH, tuples).astype(np.float32)
        self.z = generators[4].integers(ord("a"), ord("z") + 1, 20 * tuples, dtype=np.uint8).view("S20")
        self.c = generators[5].random(tuples)
        self.d = generators[6].integers(0, 2, tuples, dtype=np.uint8).view(np.bool_)
        self.ticks = np.arange(tuples)

    def definition(self, window: int, steady: int) -> Definition:
        """Windows of so many tuples, which are not compared, so that they are full from the start; then so many of each
        side that are.
        """
        n = window + steady
        terms = [(self.x[:n], self.a[:n], BAND), (self.y[:n], self.b[:n], BAND)]
        return Definition(self.ticks[:n], self.ticks[:n], terms, window, "exact", compared_from=2 * window)

    def digest(self, rows: Rows, ts: tuple[Column, Column] | None = None) -> str:
        """Of the output tuples of matching rows, in order. ``ts``: the sides' times, where they are not ticks."""
        digest = hashlib.blake2b(digest_size=8)
        for begin in range(0, len(rows[0]), AT_ONCE):
            left, right = (each[begin : begin + AT_ONCE] for each in rows)
            later = np.maximum(left, right) if ts is None else np.maximum(ts[0][left], ts[1][right])
            digest.update(self.output((left, right), later).data)
        return digest.hexdigest()

    def output(self, rows: Rows, later: Column) -> npt.NDArray[Any]:
        """The output tuples of matching rows; ``later``: their later timestamps."""
        left, right = rows
        output = np.empty(len(left), OUTPUT)
        output["ts"] = later
        for name, column, matched_rows in (
            ("x", self.x, left), ("y", self.y, left), ("z", self.z, left), ("a", self.a, right), ("b", self.b, right),
            ("c", self.c, right), ("d", self.d, right),
        ):  # fmt: skip
            output[name] = column[matched_rows]
        return output

    def reference(self, window: int, steady: int) -> str:
        """The digest that a join with such windows must give: one thread's by the index, where the naive join, for as
        many tuples as there is time for, finds the same.

        Raises AssertionError where it does not.
        """
        crew = JoinCrew(self.definition(window, steady), "index")
        crew.run()
        rows = crew.matches()
        self._compare_with_naive(rows, window, steady)
        return self.digest(rows)

    def _compare_with_naive(self, rows: Rows, window: int, steady: int) -> None:
        left, right = rows
        n = min(steady, max(4, CHECKED_PAIRS // (4 * window)))
        random = np.random.default_rng(0)
        later_rows = np.maximum(left, right)  # half of those looked at have matches, as far as there are
        some = random.choice(later_rows, min(n, len(later_rows)), replace=False) if len(later_rows) else later_rows
        ticks = np.unique(np.concatenate([some, random.choice(steady, n, replace=False) + window]))
        for tick in ticks.tolist():
            begin = max(0, tick - window)
            others = np.arange(begin, tick)  # of equal times the left side's is earlier
            of_left = others[self._matches(tick, slice(begin, tick), left_is_later=True)]
            others = np.arange(begin, tick + 1)
            of_right = others[self._matches(tick, slice(begin, tick + 1), left_is_later=False)]
            at = slice(*np.searchsorted(later_rows, [tick, tick + 1]))
            want_left = np.concatenate([np.full(len(of_left), tick), of_right])
            want_right = np.concatenate([of_left, np.full(len(of_right), tick)])
            assert np.array_equal(left[at], want_left), f"the naive join finds other matches at tick {tick}"
            assert np.array_equal(right[at], want_right), f"the naive join finds other matches at tick {tick}"

    def _matches(self, tick: int, others: slice, *, left_is_later: bool) -> npt.NDArray[np.bool_]:
        x, y, a, b = (self.x, self.y, self.a, self.b) if left_is_later else (self.a, self.b, self.x, self.y)
        near = np.abs(a[others] - x[tick]) <= BAND
        matches: npt.NDArray[np.bool_] = near & (np.abs(b[others] - y[tick]) <= np.float32(BAND))
        return matches
