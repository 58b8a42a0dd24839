"""A query as one hand-written loop, over the stream that a workload holds in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import DataError, OptionError
from streambench.lab.data import lookup
from streambench.lab.workloads.workload import Workload
from streambench.queries.baselines.pace import Pace
from streambench.queries.baselines.query_loops import q1, q2, q3, q4, q15, ysb

LOOPS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q15": q15, "ysb": ysb}


class QueryLoop:
    """The loop for ``workload``'s query with the paper's parameters.

    Raises OptionError for a query without one, another parameter set, or a stream that is not in memory, DataError for
    tickets that do not ascend: the loop of q1 keeps the current ticket only.
    """

    def __init__(self, workload: Workload) -> None:
        if workload.name not in LOOPS:
            raise OptionError(f"{workload.name} has no hand-written loop to be measured against: leave it out.")
        if workload.parameter_set != "paper" or workload.stream is None:
            raise OptionError("a query's loop takes the paper's parameter set and a stream in memory: add `preload`.")
        if not workload.stream.facts.get("tickets_ascend", True):
            raise DataError(
                f"tickets in {workload.data.path} do not ascend, which the hand-written loop of {workload.name} relies "
                "on: leave this query out, or use generated data."
            )
        self.query = workload.query
        self.parameters = workload.parameters
        self.columns = workload.stream.columns
        self.narrow = all(values.dtype != np.int64 for values in self.columns)
        if not self.narrow:
            self.columns = tuple(values.astype(np.int64, copy=False) for values in self.columns)
        self._further = self._arguments(workload)
        self._loop = LOOPS[workload.name]

    def _arguments(self, workload: Workload) -> list[Any]:
        """What the loop takes besides the columns."""
        of = self.parameters
        assert workload.stream is not None
        if workload.name == "q1":
            return [of["top"]]
        if workload.name == "q15":
            return [self._codes(lookup.categories(workload.data))]
        if workload.name == "ysb":
            return [self._codes(lookup.campaigns(workload.data)), of["window"]]
        users = int(workload.stream.column("wcs_user_sk").max(initial=-1)) + 1
        if workload.name == "q2":
            return [users, of["gap"], of["top"]]
        if workload.name == "q3":
            return [users, of["window"]]
        return [self._codes(lookup.page_types(workload.data)), users, of["gap"]]

    def _codes(self, by_key: Any) -> Any:
        """A look-up table, as narrow as the columns where its values fit."""
        narrow = self.narrow and int(by_key.max(initial=0)) <= np.iinfo(np.int16).max
        return by_key.astype(np.int16) if narrow else by_key

    def run(self, pace: Any = None) -> tuple[float, Any]:
        """Execute it once: the seconds it took, and what is left, which `answer` takes.

        ``pace``: one of `paced`, where tuples arrive at a rate; else all of them are there.
        """
        seconds, left = self._loop(pace or self.paced(0), *self.columns, *self._further)
        return seconds, left

    def paced(self, rate: float, most: int = 1) -> Any:
        """A `Pace` for one run over the stream: tuples per second, and of a chunk."""
        return Pace(len(self.columns[0]), rate, most)

    def answer(self, left: Any) -> pa.Table:
        """The query's answer, in SQL's order."""
        columns = {"q3": self._best_views, "q4": _ratio, "q15": _falling}.get(self.query.name, tuple)(left)
        floats = {"slope", "intercept", "pages_per_session"}
        kinds = [pa.float64() if name in floats else pa.int64() for name in self.query.answer_columns]
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        return pa.table(dict(zip(self.query.answer_columns, arrays, strict=True)))

    def _best_views(self, left: Any) -> Any:
        """Of each purchased item the top views, from all counts."""
        purchased, viewed, n = left
        order = np.lexsort((viewed, -n, purchased))
        rows = np.stack([purchased, viewed, n])[:, order]
        _, begin, lengths = np.unique(rows[0], return_index=True, return_counts=True)
        rank = np.arange(rows.shape[1]) - np.repeat(begin, lengths)
        return rows[:, rank < self.parameters["top"]]


def same(left: Any, other: Any) -> bool:
    """Whether two runs left the same, to the last bit."""
    return len(left) == len(other) and all(np.array_equal(a, b) for a, b in zip(left, other, strict=True))


def _ratio(left: Any) -> Any:
    pages, sessions = left
    return [pages], [sessions], [pages / sessions if sessions else None]


def _falling(left: Any) -> Any:
    """The least-squares lines that do not rise; Python's integers are exact, so only the quotients are rounded."""
    lines = [
        (category, n * xy - x * y, y * xx - x * xy, n * xx - x * x) for category, n, x, y, xy, xx in left if n >= 2
    ]
    falling = [line for line in lines if line[1] <= 0]
    return (
        [category for category, _, _, _ in falling],
        [rise / spread / 100 for _, rise, _, spread in falling],
        [base / spread / 100 for _, _, base, spread in falling],
    )
