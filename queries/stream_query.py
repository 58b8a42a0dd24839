"""How a query goes on for ever: what is kept by key between two runs of its operators, and what each run adds."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.queries.query import Parameters, Query

State = Mapping[str, npt.NDArray[np.integer[Any]]]
"""What an operator exports: int64 columns by name, ``key`` first."""


@dataclass(frozen=True)
class StreamQuery:
    """A query as a stream without end, cut by a key that no state crosses but the last operators'.

    ``key``: the column that the stream is dealt by; ``keyed``: the place of the operator whose state is kept by it,
    which has ``continues`` and is saved between runs. ``used``: how many of the query's operators run.
    ``schema`` has the columns that a run adds, ``added(operators, emitted)`` gives them; whatever the runs add makes
    the query's ``answer(added, parameters)``, whichever run added it. Where that is much it is dealt by the columns
    ``split`` first: the parts' answers are rows that have the same answer as all that was added.
    ``over(state, frontier, parameters)``: which keys no tuple of ``frontier`` or later can touch any more: their state
    is closed; None where that never happens.
    """

    query: Query
    key: str
    keyed: int
    used: int
    schema: pa.Schema
    added: Callable[[Sequence[Any], Mapping[str, Any]], Mapping[str, Any]]
    answer: Callable[[pa.Table, Parameters], pa.Table]
    split: tuple[str, ...] = ()
    over: Callable[[State, int, Parameters], npt.NDArray[np.bool_]] | None = None


STREAMED = ("q2", "q3", "q4", "q15")
REFUSED = {
    "q1": "a ticket's lines may come at any time, so no state could ever go",
    "qjoin": "it joins two streams of its own before any operator",
    "ysb": "its windows are counted over all keys at once",
}
"""Why other queries are no streams."""


def find(name: str) -> StreamQuery:
    """Return the query of that name, one of `STREAMED`."""
    query: StreamQuery = importlib.import_module(f"streambench.queries.{name}.pipeline").STREAM
    return query


def summed(added: pa.Table, names: Sequence[str]) -> tuple[npt.NDArray[np.int64], ...]:
    """Two columns of keys and the sum of the third, ``n``, for each pair; ascending."""
    grouped = added.group_by(list(names[:2])).aggregate([(names[2], "sum")])
    grouped = grouped.sort_by([(names[0], "ascending"), (names[1], "ascending")])
    return tuple(grouped.column(name).to_numpy() for name in (*names[:2], f"{names[2]}_sum"))


def integers(*names: str) -> pa.Schema:
    """Columns of int64."""
    return pa.schema([(name, pa.int64()) for name in names])
