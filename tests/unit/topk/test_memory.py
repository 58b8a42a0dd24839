"""Every design says how many bytes it counts with, and the system agrees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sanitized import SANITIZED

from streambench.pyx.topk.cooperative import Cooperative
from streambench.pyx.topk.designs import DESIGNS, design_named

GROWTH = """
import json
import resource
from pathlib import Path
import numpy as np
from streambench.pyx.topk.designs import DESIGNS
items, kept, grown = np.arange(150_000, dtype=np.uint64), [], {}
for name, design in DESIGNS.items():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    kept.append(design(100_000))
    kept[-1].add(items)
    pages = int(Path("/proc/self/statm").read_text().split()[1]) - pages
    grown[name] = pages * resource.getpagesize() / kept[-1].nbytes
print(json.dumps(grown))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what is resident")
@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps several bytes for each")
def test_a_process_grows_by_the_bytes_that_its_summary_names() -> None:
    called = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True)
    grown = json.loads(called.stdout)
    assert grown.keys() == DESIGNS.keys()
    grown.pop("lossy")  # the allocator keeps what a table held before it grew
    assert all(0.7 < each < 1.3 for each in grown.values()), grown


@pytest.mark.parametrize("design", DESIGNS)
def test_memory_grows_as_the_counters_do(design: str) -> None:
    few, many = (design_named(design)(counters) for counters in (10_000, 100_000))
    for summary in (few, many):
        summary.add(np.arange(summary.counters, dtype=np.uint64))
    assert few.nbytes < many.nbytes < 14 * few.nbytes  # tables are powers of two


def test_blocking_locks_take_a_mutex_for_each_element_and_bucket() -> None:
    plain, blocking = (design_named(name)(1000) for name in ("shared", "shared-blocking"))
    for summary in (plain, blocking):
        summary.add(np.arange(1000, dtype=np.uint64))
    mutexes, rest = divmod(blocking.nbytes - plain.nbytes, 128)
    assert mutexes > 1024  # numbers of elements, which are taken so many at a time
    assert rest == 0


@pytest.mark.parametrize("design", ["independent", "independent-fast", "hashed"])
def test_summaries_of_threads_take_memory_for_each(design: str) -> None:
    one, three = (design_named(design)(10_000, threads).nbytes for threads in (1, 3))
    assert three >= 3 * one


def test_impossible_thresholds_and_sleeps_are_refused() -> None:
    for sleep in (-1.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="a thread sleeps for 0 to 1 second, not"):
            Cooperative(10, 1, 5, sleep)
    with pytest.raises(ValueError, match="rho is a queue's size"):
        Cooperative(10, 1, -1)
