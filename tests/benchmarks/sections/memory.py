"""Memory that the ordered engine takes over the stream in memory and the operators' own state.

The serial engine's growth is the operators' state and next to nothing besides; what two workers take
more is the runtime's.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from interleave import interleave
from sections.query_streams import query_names
from sections.section import Plan, Section, Tell, excess

from streambench.errors import StreambenchError

MOST_MIB = 64.0
MIB = 1 << 20
LAPS = 2  # from the second on, columns that shift are copied into the units
PROBE = Path(__file__).with_name("resident.py")


def measure(plan: Plan, tell: Tell) -> Section:
    """Every query with 2 workers against the serial engine, each run in a process of its own."""
    section = Section("Memory over the stream and the operators' state, 2 workers")
    for name in query_names(plan):
        tell(f"{name}: memory")
        things = {"serial": _grown(plan, name, "serial", 1), "ordered": _grown(plan, name, "ordered", 2)}
        found = interleave(things, plan.repeats, plan.distances, warm_up=False)
        for engine, values in found.items():
            section.record(f"{name}, {engine}", values, "MiB")
        section.add(name, excess(found["ordered"], found["serial"]), "MiB", MOST_MIB, at_most=True)
    return section


def _grown(plan: Plan, query: str, engine: str, workers: int) -> Callable[[], float]:
    def run() -> float:
        command = [sys.executable, str(PROBE), str(plan.data), query, engine, str(workers), str(LAPS)]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            lines = made.stderr.strip().splitlines() or ["it said nothing"]
            raise StreambenchError(f"measuring the memory of {query} failed: {lines[-1]}")
        return int(made.stdout) / MIB

    return run
