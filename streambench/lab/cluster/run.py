"""A query on a Spark cluster: the driver's part of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from streambench.datagen.buckets import KEYS
from streambench.errors import OptionError
from streambench.lab.answers import oracle
from streambench.lab.cluster import plan as plans
from streambench.lab.cluster import session as sessions
from streambench.lab.cluster.ranges import Range, ranges
from streambench.lab.cluster.split import MOST_PARTITIONS
from streambench.lab.cluster.task import Answer, Look, Task
from streambench.lab.data.catalog import Catalog, TableFiles
from streambench.lab.data.replay_order import FileOrder
from streambench.lab.workloads.workload import Progress, Workload
from streambench.queries.cut import Cut
from streambench.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITION_ROWS = 1 << 21  # of the stream, that a partition has at most where their number is chosen
FILES_AT_ONCE = 4  # row groups that a reading task has at most, so that many can take part


@dataclass(frozen=True, repr=False)
class ClusterResult:
    """One run on a cluster.

    ``tuples``: of the stream; ``seconds``: of the jobs, from the plan to the merged answer; ``start_seconds``: until
    Spark was there, next to nothing where it was already; ``core_seconds``: CPU time of the Python workers, repeated
    tasks included; ``sent_bytes``: what they gave the shuffles, before Spark compresses it; ``bucketed``: the first
    shuffle was left out, as the files hold its partitions; ``answer_ok``, ``sequence_ok``: None where it was not
    checked, or there is no sequence beyond the answer (see ``streambench.queries.cut.Cut``), which is one thread's
    within the values of the columns ``sequence_by``. ``problem``: the first difference.
    """

    query: str
    parameter_set: str
    master: str
    workers: int
    partitions: int
    bucketed: bool
    tuples: int
    seconds: float
    start_seconds: float
    core_seconds: float
    sent_bytes: int
    answer: pa.Table = field(repr=False)
    answer_ok: bool | None = None
    sequence_ok: bool | None = None
    sequence_by: tuple[str, ...] = ()
    problem: str | None = None
    engine: str = "spark"
    version: str = __version__

    @property
    def throughput(self) -> float:
        """Tuples of the stream per second."""
        return self.tuples / self.seconds

    def to_json(self) -> dict[str, Any]:
        """The result as plain values, without the answer."""
        plain = {name: value for name, value in vars(self).items() if name != "answer"}
        return {**plain, "throughput": self.throughput}


@dataclass(frozen=True)
class _Tally:
    seconds: Any
    sent: Any


def run_on_cluster(
    query: str,
    data: str | Path | Catalog,
    *,
    master: str = "local[*]",
    parameters: str = "paper",
    workers: int = 1,
    partitions: int | None = None,
    check: bool = True,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    waiting: Callable[[str], None] = lambda what: None,
) -> ClusterResult:
    """Run ``q1``, ``q2``, ``q3``, ``q4`` or ``q15`` over a data directory that all machines see, on Spark.

    ``workers``: of the ordered runtime in each task, which reserves as many cores. ``partitions``: of each shuffle
    (None: by cores and rows). ``check``: compare the answer with SQL's. ``settings``: of Spark's, by their names.
    A Spark that runs already in this process is used, if it has the same master and settings. ``progress``,
    ``waiting``: called while the data are looked at, and with what is being waited for.

    Raises OptionError, DataError and StreambenchError, each with one sentence.
    """
    if workers < 1:
        raise OptionError(f"`workers` must be at least 1, not {workers}.")
    if partitions is not None and not 1 <= partitions <= MOST_PARTITIONS:
        raise OptionError(f"`partitions` must be from 1 to {MOST_PARTITIONS}, not {partitions}.")
    catalog = data if isinstance(data, Catalog) else Catalog.open(data)
    workload = opened(query, catalog, parameters, progress)
    plans.cut_of(workload.query, parameters)
    begun = time.monotonic()
    waiting(f"starting Spark on {master}")
    with sessions.running(master, workers=workers, settings=settings) as session:
        started = time.monotonic() - begun
        waiting(f"{workload.name} on {master}")
        return run_workload(workload, session, workers, partitions, check=check, start_seconds=started)


def opened(query: str, data: Catalog, parameters: str = "paper", progress: Progress | None = None) -> Workload:
    """What ``run_workload`` takes. Raises as ``Workload`` does."""
    return Workload(query, data, parameters, preload=False, progress=progress, on_cluster=True)


def run_workload(
    workload: Workload,
    session: SparkSession,
    workers: int = 1,
    partitions: int | None = None,
    *,
    check: bool = True,
    start_seconds: float = 0.0,
) -> ClusterResult:
    """As ``run_on_cluster``, on a Spark that is there, over a workload that is read as it goes."""
    context = session.sparkContext
    workload.check_order(look_at=partial(_looked_at, context))
    begun = time.monotonic()
    cut = plans.cut_of(workload.query, workload.parameter_set)
    table = workload.query.table
    bucketed = workload.data.bucketed(table) and cut.shuffles[0].key == (KEYS[table],)
    if partitions is None:
        partitions = max(context.defaultParallelism // workers, -(-workload.rows // PARTITION_ROWS))
    plan = plans.make(workload, partitions, workers, bucketed)
    tally = _Tally(context.accumulator(0.0), context.accumulator(0))
    answers = _collected(context, plan, workload, tally)
    answer = cut.merge([each.answer for each in answers])
    seconds = time.monotonic() - begun
    answer_ok = sequence_ok = problem = None
    if check:
        problem = oracle.difference(workload.name, answer, workload.expected_answer())
        answer_ok = problem is None
        if cut.sequence is not None:
            difference = _sequence_problem(
                workload, cut, [each.answer if each.emitted is None else each.emitted for each in answers]
            )
            sequence_ok, problem = difference is None, problem or difference
    return ClusterResult(
        query=workload.name,
        parameter_set=workload.parameter_set,
        master=str(context.master),
        workers=workers,
        partitions=partitions,
        bucketed=bucketed,
        tuples=workload.rows,
        seconds=seconds,
        start_seconds=start_seconds,
        core_seconds=tally.seconds.value,
        sent_bytes=tally.sent.value,
        answer=answer,
        answer_ok=answer_ok,
        sequence_ok=sequence_ok,
        sequence_by=cut.sequence or (),
        problem=problem,
    )


def _looked_at(context: Any, files: TableFiles) -> list[FileOrder]:
    """What tasks see of the files' order, each of one."""
    look = Look(replace(files, stamps={}))  # another machine may have a copy, of another time
    places = [file.resolve() for file in files.files]  # an executor works in another folder
    orders: list[FileOrder] = context.parallelize(places, len(places)).map(look).collect()
    return orders


def _collected(context: Any, plan: plans.Plan, workload: Workload, tally: _Tally) -> list[Answer]:
    """The answers of the last partitions, in their order."""
    pieces = plans.pieces(workload.data, workload.query.table)
    owners = _ranges(plan, pieces)
    if owners is not None:
        plan = replace(plan, ranged=True)
    shared = context.broadcast(plan)
    try:
        if owners is not None:
            rows = context.parallelize(owners, len(owners))
        elif plan.bucketed:
            buckets = [list(each) for _, each in groupby(pieces, key=lambda piece: piece.file)] or [[]]
            rows = context.parallelize(buckets, len(buckets)).flatMap(lambda bucket: bucket)
        else:
            tasks = max(min(len(pieces), context.defaultParallelism), -(-len(pieces) // FILES_AT_ONCE), 1)
            rows = context.parallelize(pieces, tasks)
        rows = rows.mapPartitionsWithIndex(Task(shared, 0, tally))
        for number in range(1 if plan.bucketed or plan.ranged else 0, len(plan.cut().shuffles)):
            rows = rows.repartitionAndSortWithinPartitions(plan.partitions, itemgetter(0))
            rows = rows.mapPartitionsWithIndex(Task(shared, number + 1, tally))
        return [each.widened() for each in rows.collect()]
    finally:
        shared.unpersist()


def _ranges(plan: plans.Plan, pieces: list[plans.Piece]) -> list[Range] | None:
    """Where the stream's keys ascend, and its files tell by which."""
    cut = plan.cut()
    if plan.bucketed or cut.ascending is None or not plan.looked_up.facts.get(cut.ascending):
        return None
    (key,) = cut.shuffles[0].key
    return ranges(pieces, key, plan.partitions)


def _sequence_problem(workload: Workload, cut: Cut, emitted: list[pa.Table]) -> str | None:
    """The first difference from SQL's sequence, where both are put together by the columns that it is defined for."""
    assert cut.sequence is not None
    expected = oracle.emitted(workload.data, workload.name, workload.parameter_set)
    order = [(name, "ascending") for name in cut.sequence]
    sequence = pa.concat_tables(emitted)
    return oracle.sequence_difference(workload.name, sequence.sort_by(order), expected.sort_by(order))
