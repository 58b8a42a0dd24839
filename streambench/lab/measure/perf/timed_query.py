"""What measures a query by an engine: every run's output sequence is checked."""

from __future__ import annotations

from collections.abc import Callable

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.workloads.workload import Workload


def timed(workload: Workload, options: Options) -> Callable[[], float]:
    """What measures ns per tuple. Raises StreambenchError for a wrong output sequence."""

    def run() -> float:
        measured, pipeline = workload.run(options, keep=False)
        if pipeline.sink.digest != workload.serial_digest(options.laps):
            raise StreambenchError(
                f"{workload.name}, {options.named_engine}, {settle(options).workers} workers: the output sequence is "
                "not the serial engine's."
            )
        return measured.seconds / measured.tuples * 1e9

    return run
