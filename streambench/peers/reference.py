"""What a peer's run must leave: SQL's answer, and of those that promise it the sequence of one thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import pyarrow as pa

from streambench.answers import oracle
from streambench.data.catalog import Catalog
from streambench.peers.peer import Order, Ran
from streambench.workloads.workload import Workload


@dataclass(frozen=True)
class Reference:
    """Of one query: ``tuples`` of its stream, SQL's ``answer``, the ``digest`` of the sequence."""

    query: str
    tuples: int
    answer: pa.Table
    digest: str

    @classmethod
    def of(cls, query: str, data: Catalog) -> Self:
        """Computed from the files. Raises DataError for data that does not fit."""
        workload = Workload(query, data)
        return cls(query, workload.rows, workload.expected_answer(), workload.serial_digest(1))

    def problem(self, order: Order, ran: Ran) -> str | None:
        """What is wrong with a run, None for nothing. Where no sequence is promised, the answer's rows may come in any
        order."""
        if order == "sequence" and ran.digest != self.digest:
            return f"{self.query}'s output sequence is not that of one thread"
        if order == "sequence":
            return oracle.difference(self.query, ran.answer, self.answer)
        if set(ran.answer.column_names) != set(self.answer.column_names):
            return oracle.difference(self.query, ran.answer, self.answer)
        return oracle.difference(self.query, *map(self._sorted, (ran.answer, self.answer)))

    def _sorted(self, table: pa.Table) -> pa.Table:
        """By the columns that are compared to the bit, which tell all rows apart."""
        exact = [each.name for each in self.answer.schema if pa.types.is_integer(each.type)]
        return table.select(self.answer.column_names).sort_by([(name, "ascending") for name in exact])
