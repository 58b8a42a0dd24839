"""Our operators by our own engines, `serial`, the baseline of one thread, and `ordered` on all workers; and by oneTBB's
ordered `parallel_pipeline`: the same work, moved by another runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from streambench.execution.marker_statistics import latency
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf import onetbb
from streambench.lab.peers.peer import UNIT, Peer, PeerJob, Ran, Run
from streambench.lab.workloads.workload import Workload

SAME = "the sequence of one thread, tuple by tuple"
IN_MEMORY = "columns of the stream in memory"
LIVE = 4  # units under way for each thread, by oneTBB

Execute = Callable[[Workload, Options, bool], tuple[Pipeline, Mapping[str, float]]]
"""Runs a workload, whose rows are kept or not: the pipeline that has run, and its latency."""


def _prepare(execute: Execute, options: Callable[[PeerJob], Options], job: PeerJob) -> Run:
    workload = Workload(job.query, Catalog.open(job.data))

    def run(laps: int) -> Ran:
        once = laps == 1
        pipeline, waits = execute(workload, Options.of(options(job), laps=laps), once and workload.answer_needs_rows)
        return Ran(workload.answer(pipeline) if once else None, pipeline.sink.digest, waits)

    return run


def _by_us(workload: Workload, options: Options, keep: bool) -> tuple[Pipeline, Mapping[str, float]]:
    measured, pipeline = workload.run(options, keep=keep)
    return pipeline, measured.latency


def _by_onetbb(workload: Workload, options: Options, keep: bool) -> tuple[Pipeline, Mapping[str, float]]:
    pipeline = workload.pipeline(options, keep=keep)
    threads = options.workers or 1
    waits = onetbb.execute(pipeline, threads, UNIT, LIVE * threads)
    return pipeline, latency(waits * 0, waits)


SERIAL = Peer(
    name="serial",
    package="streambench",
    streams=True,
    order="sequence",
    guarantees=SAME,
    configure=lambda job: f"1 thread, units of {UNIT}, {IN_MEMORY}",
    prepare=partial(_prepare, _by_us, lambda job: Options(engine="serial", unit=UNIT, preload=True)),
    missing=lambda: None,
    parallel=False,
    replays=True,
)
ORDERED = Peer(
    name="ordered",
    package="streambench",
    streams=True,
    order="sequence",
    guarantees=SAME,
    configure=lambda job: f"{job.workers} workers, unit and plan chosen while it runs, {IN_MEMORY}",
    prepare=partial(_prepare, _by_us, lambda job: Options(workers=job.workers, preload=True)),
    missing=lambda: None,
    replays=True,
)
ONETBB = Peer(
    name="onetbb",
    package="tbb-devel",
    streams=True,
    order="sequence",
    guarantees="the sequence of one thread: its serial filters take tokens in order",
    configure=lambda job: (
        f"{job.workers} threads, our operators, tokens of {UNIT} tuples, {LIVE * job.workers} under way; stateless "
        "operators in parallel filters, keyed and stateful ones in serial_in_order filters, as it has no keyed filter"
    ),
    prepare=partial(_prepare, _by_onetbb, lambda job: Options(workers=job.workers, preload=True)),
    missing=lambda: None if onetbb.there() else onetbb.MISSING,
    replays=True,
    build=onetbb.build,
)
