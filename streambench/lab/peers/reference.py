"""What a peer's run must leave: SQL's answer, and of those that promise it the sequence of one thread."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from streambench.execution.options import MOST_LAPS, Options
from streambench.lab.answers import oracle
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers.peer import Order, Ran
from streambench.lab.workloads.workload import Workload


@dataclass(frozen=True)
class Reference:
    """Of one query over ``laps``: ``tuples`` of its stream, SQL's ``answer``, the ``digest`` of the sequence.

    ``answer`` is None over several laps. ``doubt``: where that sequence itself is not SQL's, None for nowhere.
    """

    query: str
    tuples: int
    answer: pa.Table | None
    digest: str
    laps: int = 1
    doubt: str | None = None

    def problem(self, order: Order, ran: Ran) -> str | None:
        """What is wrong with a run, None for nothing. Where no sequence is promised, the answer's rows may come in any
        order."""
        if order == "sequence" and ran.digest != self.digest:
            return f"{self.query}'s output sequence is not that of one thread"
        if order == "sequence" and self.doubt is not None:
            return self.doubt
        if self.answer is None:
            return None
        if ran.answer is None:
            return f"{self.query} has no answer"
        if order == "sequence" or set(ran.answer.column_names) != set(self.answer.column_names):
            return oracle.difference(self.query, ran.answer, self.answer)
        return oracle.difference(self.query, _sorted(ran.answer, self.answer), _sorted(self.answer, self.answer))


class References:
    """Those of one query over ``data``, computed from the files.

    Raises DataError for data that does not fit, and for an empty stream.
    """

    def __init__(self, query: str, data: Catalog) -> None:
        self._workload = Workload(query, data)
        self._workload.require_rows()
        self._found: dict[int, Reference] = {}

    @property
    def rows(self) -> int:
        """Tuples of one lap."""
        return self._workload.rows

    @property
    def most_laps(self) -> int:
        """How many fit."""
        return min(self._workload.room.laps, MOST_LAPS)

    def over(self, laps: int) -> Reference:
        """The one of so many laps."""
        if laps not in self._found:
            self._found[laps] = self._computed(laps)
        return self._found[laps]

    def _computed(self, laps: int) -> Reference:
        """The sequence is our serial engine's. SQL says what it is over one lap, and what each of several causes."""
        workload = self._workload
        measured, pipeline = workload.run(Options(engine="serial", laps=laps, preload=True), keep=False)
        digest, tuples = pipeline.sink.digest, laps * workload.rows
        if laps > 1:
            doubt = workload.lap_problem(laps, measured)
            return Reference(workload.name, tuples, None, digest, laps, doubt)
        doubt = workload.sequence_problem(1, digest)
        return Reference(workload.name, tuples, workload.expected_answer(), digest, doubt=doubt)


def _sorted(table: pa.Table, like: pa.Table) -> pa.Table:
    """By the columns that are compared to the bit, which tell all rows apart."""
    exact = [each.name for each in like.schema if pa.types.is_integer(each.type)]
    return table.select(like.column_names).sort_by([(name, "ascending") for name in exact])
