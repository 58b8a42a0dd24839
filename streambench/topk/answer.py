"""What is known of a stream's items at one moment, with the bounds that it is known within."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streambench.errors import OptionError
from streambench.pyx.topk.counted import Counted
from streambench.pyx.tuples.whole_number import is_number, is_whole_number
from streambench.topk.ranking import Ranking, TopItem


class Estimate(NamedTuple):
    """How often an item has occurred: from ``lower`` to ``upper`` times, both included."""

    estimate: int
    lower: int
    upper: int


class Answer:
    """``counted`` of a summary, with the ``items`` themselves: highest estimates first, of equal ones the lower items.

    ``n``: how many items are counted, of which ``nulls`` are none. ``floor``: an item that is not listed has occurred
    this often at most. ``in_flight``: items that an update has taken and that may not be counted yet; 0 where no
    update was under way. All bounds are wider by them.
    """

    def __init__(self, counted: Counted, items: pa.Array, nulls: int = 0) -> None:
        self.n = counted.n
        self.nulls = nulls
        self.in_flight = counted.in_flight
        self.floor = counted.floor + counted.in_flight
        order = _order(counted.counts, items)
        self.items = items.take(pa.array(order))
        self.estimates: npt.NDArray[np.int64] = counted.counts[order]
        self.lower: npt.NDArray[np.int64] = self.estimates - counted.errors[order]
        self.upper: npt.NDArray[np.int64] = self.estimates + counted.in_flight

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[TopItem]:
        return iter(self.top(len(self)))

    @property
    def error_bound(self) -> int:
        """No estimate is off by more, of any item, listed or not: what the counters hold, not what epsilon allows."""
        return max(self.floor, int((self.upper - self.lower).max(initial=0)))

    def top(self, k: int) -> Ranking:
        """The ``k`` items with the highest estimates, or all if there are fewer; of equal ones the lower items.

        One is guaranteed to be among the k most frequent if it has occurred at least as often as any other than these
        k can have. Raises OptionError for a k that is no whole number from 0 on.
        """
        if not is_whole_number(k) or k < 0:
            raise OptionError(f"`k` must be a whole number from 0 on, not {k!r}.")
        rows = np.arange(min(int(k), len(self)))
        others = max(self.floor, int(self.upper[len(rows) :].max(initial=0)))
        guaranteed = self.lower[rows] >= others
        return self._ranking(rows, guaranteed, bool(guaranteed.all()) and (k <= len(self) or self.floor == 0))

    def frequent(self, phi: float) -> Ranking:
        """The items that may have occurred more than ``phi`` n times, a share from 0 to below 1.

        One is guaranteed to if its lower bound is above that. None is missing where ``complete`` says so: where phi n
        is at least the floor. Raises OptionError for another phi.
        """
        if not is_number(phi) or not 0 <= phi < 1:
            raise OptionError(f"`phi` is a share from 0 to below 1, not {phi!r}.")
        share = Fraction(repr(float(phi)))  # of what is typed: 0.3 of 10 is 3, not a little less
        possible = np.flatnonzero(self.upper > int(share * self.n))
        guaranteed = self.lower[possible] > int(share * (self.n + self.in_flight))
        return self._ranking(possible, guaranteed, self.floor <= share * self.n)

    def to_table(self) -> pa.Table:
        """All rows (item, estimate, lower, upper, guaranteed), as ``top`` has them."""
        return self.top(len(self)).to_table()

    def _ranking(self, rows: npt.NDArray[np.int64], guaranteed: npt.NDArray[np.bool_], complete: bool) -> Ranking:
        return Ranking(
            self.items.take(pa.array(rows)),
            self.estimates[rows],
            self.lower[rows],
            self.upper[rows],
            guaranteed,
            complete,
        )


def _order(counts: npt.NDArray[np.int64], items: pa.Array) -> npt.NDArray[np.int64]:
    if len(items) == 0:
        return np.zeros(0, np.int64)
    comparable = items.cast(pa.float32()) if pa.types.is_float16(items.type) else items  # Arrow cannot sort halves
    rows = pa.table({"count": counts, "item": comparable})
    order = pc.sort_indices(rows, sort_keys=[("count", "descending"), ("item", "ascending")])
    return np.asarray(order.to_numpy().astype(np.int64))
