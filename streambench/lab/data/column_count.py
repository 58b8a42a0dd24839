"""A column of Parquet files, counted by several threads."""

from __future__ import annotations

import queue
import resource
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from streambench.data.parquet_files import ParquetFiles
from streambench.topk.topk import TopK

LOOK = 0.1  # seconds


class Share(NamedTuple):
    """What one thread has done: ``rows``; ``account``: its ns on a core, voluntary and involuntary switches."""

    rows: int
    account: tuple[int, int, int]


def count_files(summary: TopK, files: ParquetFiles, column: str, watch: Callable[[int], object]) -> list[Share]:
    """Count the column's values; ``watch`` is called now and then with the rows done so far. By thread, what it did.

    Each thread of ``summary`` takes the next row group, reads it batch by batch and counts it, until there is none
    left. One thread takes all in order. Raises DataError for a file that cannot be read.
    """
    groups: queue.SimpleQueue[tuple[Path, int]] = queue.SimpleQueue()
    for place in files.groups:
        groups.put(place)
    done = [0] * summary.threads
    stopped = threading.Event()

    def work(thread: int) -> None:
        while True:
            try:
                file, group = groups.get_nowait()
            except queue.Empty:
                return
            for values in files.column(file, group, column):
                if stopped.is_set():
                    return
                summary.update(values, thread)
                done[thread] += len(values)

    def accounted(thread: int) -> Share:
        before = _account()
        work(thread)
        cpu, voluntary, forced = (now - then for now, then in zip(_account(), before, strict=True))
        return Share(done[thread], (cpu, voluntary, forced))

    with ThreadPoolExecutor(summary.threads) as pool:
        try:
            threads = [pool.submit(accounted, thread) for thread in range(summary.threads)]
            running = set(threads)
            while running:
                ended, running = wait(running, LOOK, FIRST_COMPLETED)
                for each in ended:
                    each.result()
                watch(sum(done))
        finally:
            stopped.set()
    return [each.result() for each in threads]


def _account() -> tuple[int, int, int]:
    """Of the calling thread; where the system does not tell it apart, of the process."""
    usage = resource.getrusage(getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF))
    return round((usage.ru_utime + usage.ru_stime) * 1e9), usage.ru_nvcsw, usage.ru_nivcsw
