"""A column of Parquet files, counted by several threads."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from streambench.data.parquet_files import ParquetFiles
from streambench.heavy_hitters.heavy_hitters import HeavyHitters

LOOK = 0.1  # seconds


def count_files(hitters: HeavyHitters, files: ParquetFiles, column: str, watch: Callable[[int], object]) -> None:
    """Count the column's values; ``watch`` is called now and then with the rows done so far.

    Each thread of ``hitters`` takes the next row group, reads it batch by batch and counts it, until there is none
    left. One thread takes all in order. Raises DataError for a file that cannot be read.
    """
    groups: queue.SimpleQueue[tuple[Path, int]] = queue.SimpleQueue()
    for place in files.groups:
        groups.put(place)
    done = [0] * hitters.threads
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
                hitters.update(values, thread)
                done[thread] += len(values)

    with ThreadPoolExecutor(hitters.threads) as pool:
        try:
            running = {pool.submit(work, thread) for thread in range(hitters.threads)}
            while running:
                ended, running = wait(running, LOOK, FIRST_COMPLETED)
                for each in ended:
                    each.result()
                watch(sum(done))
        finally:
            stopped.set()
