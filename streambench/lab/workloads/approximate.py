"""A query that is answered approximately, in bounded memory, and how far its answer is from the exact one."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa

from streambench.errors import OptionError
from streambench.execution.measurement import Measurement
from streambench.execution.pipeline import Pipeline
from streambench.lab.answers import oracle
from streambench.lab.answers.estimates import Judgement, judge
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.operator_cost import without_cost
from streambench.lab.workloads.workload import SQL_TUPLES, Progress, Workload
from streambench.queries import query as queries

LEAST = 1e-6  # some 1 GB of counters
ADDED = ("lower", "guaranteed")


class ApproximateWorkload(Workload):
    """As ``Workload``, with the counting step in bounded memory: of each window no count is too high by more than
    ``epsilon`` times what is counted there.

    The sequence is the serial engine's, as that of any query. The answer is right where SQL's counts are in its
    intervals, what it guarantees is in SQL's answer, and what it lacks of SQL's answer occurs no more often than its
    estimates allow. Raises OptionError for an ``epsilon`` out of (0, 1], and for a query that has no such step.
    """

    def __init__(
        self,
        query: str,
        data: Catalog,
        parameter_set: str = "paper",
        *,
        epsilon: float,
        preload: bool = True,
        sort: bool = False,
        progress: Progress | None = None,
    ) -> None:
        require_approximate(query, epsilon)
        super().__init__(query, data, parameter_set, preload=preload, sort=sort, progress=progress)
        self.query = replace(
            self.query, emitted=(*self.query.emitted, *ADDED), answer_columns=(*self.query.answer_columns, *ADDED)
        )
        self.parameters = {**self.parameters, "epsilon": epsilon}
        self._serial_answers: dict[int, tuple[pa.Table, int]] = {}
        self._judgements: dict[int, Judgement] = {}

    def answer(self, pipeline: Pipeline) -> pa.Table:
        """As that of a ``Workload``; ``guaranteed`` is a boolean."""
        table = super().answer(pipeline)
        place = table.column_names.index("guaranteed")
        return table.set_column(place, "guaranteed", table["guaranteed"].cast(pa.bool_()))

    def expected_answer(self, laps: int = 1) -> pa.Table:
        """The serial engine's answer."""
        return self._serial_answer(laps)[0]

    def lap_problem(self, laps: int, measured: Measurement) -> str | None:
        """As that of a ``Workload``; but not where rows need a least count, which an estimate may reach too early."""
        return None if self.parameters.get("min_count") else super().lap_problem(laps, measured)

    def judgement(self, laps: int) -> Judgement:
        """How far the serial engine's answer is from SQL's, of ``laps`` laps or, where that is too many, of one."""
        laps = laps if laps * self.rows <= SQL_TUPLES else 1
        if laps not in self._judgements:
            answer, counted = self._serial_answer(laps)
            keys = answer.column_names[: answer.column_names.index("n")]
            counts, n = oracle.true_counts(
                self.data, self.query.name, self.parameter_set, answer.select(keys), laps=laps
            )
            judged = judge(self.query.name, answer, super().expected_answer(laps), counts)
            if counted != n and judged.problem is None:
                judged = replace(judged, problem=f"{self.name} has counted {counted} pairs, but SQL {n}.")
            self._judgements[laps] = judged
        return self._judgements[laps]

    def approximation(self, pipeline: Pipeline, laps: int, *, checked: bool) -> dict[str, Any]:
        """What the counting step of an executed pipeline did and, if it has been ``checked``, the judgement."""
        counting = without_cost(pipeline.operators)[-3]
        facts = {"epsilon": self.parameters["epsilon"], "counters": counting.counters, "n": counting.pairs}
        facts["error_bound"] = counting.error_bound
        return facts | (asdict(self.judgement(laps)) if checked else {})

    def _serial_answer(self, laps: int) -> tuple[pa.Table, int]:
        """And how many pairs were counted."""
        if laps not in self._serial_answers:
            _, pipeline = self.reference(laps, keep=True)
            self._serial_answers[laps] = self.answer(pipeline), pipeline.operators[-3].pairs
        return self._serial_answers[laps]

    def _compare_sequences(self, laps: int, digest: str) -> str | None:
        return self.judgement(
            laps
        ).problem  # of the sequence itself SQL knows nothing; the digest is the serial engine's

    def _answer_problem(self, laps: int, pipeline: Pipeline) -> str | None:
        if pipeline.sink.digest != self.serial_digest(laps):
            return f"{self.name}'s approximate answer differs from the serial engine's."
        return self.judgement(laps).problem


def workload_of(
    query: str, data: Catalog, parameter_set: str, approximate: float | None, **rest: Any
) -> Workload | ApproximateWorkload:
    """The query's workload, the approximate one if there is an epsilon. ``rest``: as ``Workload`` takes it."""
    if approximate is None:
        return Workload(query, data, parameter_set, **rest)
    return ApproximateWorkload(query, data, parameter_set, epsilon=approximate, **rest)


def require_approximate(query: str, epsilon: float) -> None:
    """Raise OptionError where the query, if there is such a one, cannot be approximated, or not to ``epsilon``."""
    if not LEAST <= epsilon <= 1:
        raise OptionError(
            f"an approximation is to a share of all pairs from {LEAST:g} to 1, such as 1e-4, not {epsilon:g}."
        )
    if query.lower() in queries.names() and query.lower() not in approximable():
        raise OptionError(f"{query} cannot be approximated: {' and '.join(approximable())} can.")


def approximable() -> list[str]:
    """The queries that can be approximated."""
    return [name for name in queries.names() if queries.find(name).approximates]
