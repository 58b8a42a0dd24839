"""oneTBB's ordered `parallel_pipeline` with our operators: the same work, moved by another runtime."""

from __future__ import annotations

from streambench.execution.marker_statistics import latency
from streambench.execution.options import Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf import onetbb
from streambench.lab.peers.peer import UNIT, Asked, Peer, Ran, Run
from streambench.lab.workloads.workload import Workload

LIVE = 4  # units under way for each thread


def prepare(asked: Asked) -> Run:
    """The stream in memory."""
    workload = Workload(asked.query, Catalog.open(asked.data))

    def run(laps: int) -> Ran:
        once = laps == 1
        pipeline = workload.pipeline(Options(preload=True, laps=laps), keep=once and workload.answer_needs_rows)
        waits = onetbb.execute(pipeline, asked.workers, UNIT, LIVE * asked.workers)
        return Ran(workload.answer(pipeline) if once else None, pipeline.sink.digest, latency(waits * 0, waits))

    return run


PEER = Peer(
    name="onetbb",
    package="tbb-devel",
    streams=True,
    order="sequence",
    guarantees="the sequence of one thread: its serial filters take tokens in order",
    configure=lambda asked: (
        f"{asked.workers} threads, our operators, tokens of {UNIT} tuples, {LIVE * asked.workers} under way; stateless "
        "operators in parallel filters, keyed and stateful ones in serial_in_order filters, as it has no keyed filter"
    ),
    prepare=prepare,
    missing=lambda: None if onetbb.there() else onetbb.MISSING,
    replays=True,
    build=onetbb.build,
)
