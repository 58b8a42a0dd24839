"""How far a run's memory grows: ``python -m`` this, with DATA QUERY ENGINE WORKERS LAPS, prints the bytes.

A process of its own, so that no other run has left memory behind. The stream is in memory before.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from pathlib import Path

from streambench.execution.options import ENGINES, Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.workload import Workload


def status(name: str) -> int:
    """A size that Linux keeps of this process, in bytes."""
    match = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text("utf-8"), re.MULTILINE)
    assert match is not None, f"/proc/self/status has no {name}"
    return int(match[1]) * 1024


def growth(data: Path, query: str, options: Options) -> int:
    """The largest resident set during a run, less that before it."""
    workload = Workload(query, Catalog.open(data))
    workload.pipeline(options, keep=False)  # reads the tables that the operators look things up in
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what loading has freed would hide what the run takes
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # the largest resident set counts from here
    before = status("VmRSS")
    workload.run(options, keep=False)
    return status("VmHWM") - before


if __name__ == "__main__":
    data, query, named, workers, laps = sys.argv[1:]
    engine = next(each for each in ENGINES if each == named)
    print(growth(Path(data), query, Options(engine=engine, workers=int(workers), laps=int(laps), preload=True)))
