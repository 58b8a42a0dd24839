"""Memory that the ordered engine takes over the stream in memory and the operators' own state.

The serial engine's growth is the operators' state and next to nothing besides; what two workers take
more is the runtime's.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from streambench.errors import StreambenchError
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.settings import Settings

NAME, TITLE, NEEDS_DATA = "memory", "Memory over the stream and the operators' state, 2 workers", True
MIB = 1 << 20
LAPS = 2  # from the second on, columns that shift are copied into the units
PROGRAM = "streambench.lab.measure.perf.resident"


def cases(settings: Settings) -> list[Case]:
    """Every query with 2 workers against the serial engine, each run in a process of its own."""
    return [_case(settings, name) for name in settings.streams]


def _case(settings: Settings, name: str) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        things = {"serial": _grown(settings, name, "serial", 1), "ordered": _grown(settings, name, "ordered", 2)}
        into.keep(interleave(things, settings.repeats, into.distances, tell, warm_up=False), "MiB")
        into.excess(name, "ordered", "serial", "MiB")

    return Case(name, measure)


def _grown(settings: Settings, query: str, engine: str, workers: int) -> Callable[[], float]:
    def run() -> float:
        command = [sys.executable, "-m", PROGRAM, str(settings.data), query, engine, str(workers), str(LAPS)]
        made = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if made.returncode:
            lines = made.stderr.strip().splitlines() or ["it said nothing"]
            raise StreambenchError(f"measuring the memory of {query} failed: {lines[-1]}")
        return int(made.stdout) / MIB

    return run
