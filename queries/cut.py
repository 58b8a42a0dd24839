"""How a query is cut to run on many machines: where its pipeline may be, by which key, and how the ends are merged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Columns = Mapping[str, npt.NDArray[Any]]
"""Rows as arrays of one length, by column."""


@dataclass(frozen=True)
class Shuffle:
    """What the first ``after`` operators emit goes to the partition of its ``key``, where the others go on.

    A partition is given its rows in the order in which they were emitted. Behind a further shuffle that is no longer
    one order of the whole stream: ``window`` names the column that each partition must see ascending all the same, and
    does. ``combine``: makes fewer rows of some that stand together, with the same answer behind the shuffle; of no rows
    none, in the same types.
    """

    after: int
    key: tuple[str, ...]
    window: str | None = None
    combine: Callable[[Columns], Columns] | None = None


@dataclass(frozen=True)
class Cut:
    """``shuffles``, in the order of the pipeline: before the first there are stateless operators only, which drop what
    need not be sent. ``merge``: the answer, of the answers of the last partitions (there is one at least).
    ``sequence``: the columns within whose values the output sequence at the sink is that of one thread; None where only
    the answer is defined. ``ascending``: the fact of a stream (see ``Inputs``) in which the first shuffle's key never
    decreases. Tasks read ranges of keys then instead of that shuffle, and only the windows of the second one that a
    range shares with others are sent; so it is for queries of two shuffles, the second with a ``window``, whose answer
    is what they emit.
    """

    shuffles: tuple[Shuffle, ...]
    merge: Callable[[Sequence[pa.Table]], pa.Table]
    sequence: tuple[str, ...] | None = None
    ascending: str | None = None


def merged(tables: Sequence[pa.Table], *order: str) -> pa.Table:
    """All rows, by the columns ``order`` ascending; those that begin with - descend."""
    rows = pa.concat_tables(tables)
    return rows.sort_by([(name.lstrip("-"), "descending" if name[0] == "-" else "ascending") for name in order])


def first_of_each(rows: pa.Table, key: str | None, most: int) -> pa.Table:
    """The first ``most`` rows of each value of ``key``, whose rows stand together; of all rows where it is None."""
    if key is None or not rows.num_rows:
        return rows.slice(0, most)
    values = rows.column(key).to_numpy()
    begins = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    place = np.arange(len(values)) - np.repeat(begins, np.diff(np.r_[begins, len(values)]))
    return rows.filter(pa.array(place < most))
