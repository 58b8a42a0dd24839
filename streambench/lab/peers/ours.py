"""Our own engines, as peers of the others: `serial`, the baseline of one thread, and `ordered` on all workers."""

from __future__ import annotations

from collections.abc import Callable

from streambench.execution.options import Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers.peer import UNIT, Asked, Peer, Ran, Run
from streambench.lab.workloads.workload import Workload

SAME = "the sequence of one thread, tuple by tuple"
IN_MEMORY = "columns of the stream in memory"


def _prepare(options: Callable[[Asked], Options]) -> Callable[[Asked], Run]:
    def prepare(asked: Asked) -> Run:
        workload = Workload(asked.query, Catalog.open(asked.data))

        def run(laps: int) -> Ran:
            once = laps == 1
            measured, pipeline = workload.run(
                Options.of(options(asked), laps=laps), keep=once and workload.answer_needs_rows
            )
            return Ran(workload.answer(pipeline) if once else None, pipeline.sink.digest, measured.latency)

        return run

    return prepare


SERIAL = Peer(
    name="serial",
    package="streambench",
    streams=True,
    order="sequence",
    guarantees=SAME,
    configure=lambda asked: f"1 thread, units of {UNIT}, {IN_MEMORY}",
    prepare=_prepare(lambda asked: Options(engine="serial", unit=UNIT, preload=True)),
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
    configure=lambda asked: f"{asked.workers} workers, unit and plan chosen while it runs, {IN_MEMORY}",
    prepare=_prepare(lambda asked: Options(engine="ordered", workers=asked.workers, preload=True)),
    missing=lambda: None,
    replays=True,
)
