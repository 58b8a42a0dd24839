"""Which hash table should count keys: Boost's, Abseil's where it is installed, the standard library's, and ours.

Ours is given key after key, and as it is used, a unit at a time, so that it can prefetch. Where counts differ there are
no numbers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.hash_tables import TABLES, compiled
from streambench.lab.measure.perf.hash_tables.count_keys import CASES, LONGEST
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.settings import Settings

NAME, TITLE, NEEDS_DATA = "tables", "Hash tables that count keys: Boost's against ours, a unit at a time", False
PROGRAM = "streambench.lab.measure.perf.hash_tables.count_keys"
PER_SECOND = 30_000_000  # of the usual run's length: nine million keys, far more than any cache holds
FEWEST = 10_000
BASE, OURS = "FlatMap", "Runs"


def cases(settings: Settings) -> list[Case]:
    """Every table, each run in a process of its own."""
    most = max(FEWEST, int(settings.seconds * PER_SECOND))

    def measure(into: Measured, tell: Tell) -> None:
        tell("compiling the tables")
        things = {table: _counted(table, most) for table in compiled()}
        found = interleave(things, settings.repeats, into.distances, tell, warm_up=False)
        if len({run["digest"] for runs in found.values() for run in runs}) != 1:
            raise StreambenchError("the hash tables' counts differ: their costs mean nothing.")
        for case in CASES:
            unit = "ms" if case == LONGEST else "ns per key"
            into.keep({f"{case}, {table}": [run[case] for run in runs] for table, runs in found.items()}, unit)
            costs = "; ".join(f"{TABLES[each]} {median(run[case] for run in found[each]):.1f}" for each in found)
            into.ratio(case, f"{case}, {BASE}", f"{case}, {OURS}", note=f"{unit}: {costs}")

    return [Case(f"{most:,} keys", measure)]


def _counted(table: str, most: int) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        command = [sys.executable, "-m", PROGRAM, table, str(most)]
        made = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if made.returncode:
            lines = made.stderr.strip().splitlines() or ["it said nothing"]
            raise StreambenchError(f"measuring {TABLES[table]} failed: {lines[-1]}")
        return dict(json.loads(made.stdout))

    return run
