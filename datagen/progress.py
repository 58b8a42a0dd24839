"""Tells how far Spark's running job is, without a thread of Spark's own printing to the terminal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext

Progress = Callable[[str, float], None]
_EVERY_SECONDS = 0.2


@contextmanager
def watched(context: SparkContext, name: str, tasks: int, progress: Progress | None) -> Iterator[None]:
    """Call `progress(name, fraction)` while the block's Spark jobs run; `tasks` is how many they are expected to have.

    The fraction never falls, stays below 1 while the block runs, and is 1 at its end.
    """
    if progress is None:
        yield
        return
    progress(name, 0.0)
    tracker = context.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    ended = threading.Event()

    def watch() -> None:
        best = 0.0
        while not ended.wait(_EVERY_SECONDS):
            with suppress(Exception):  # Spark may be stopping
                best = max(best, min(0.99, _tasks_done(tracker, before) / max(1, tasks)))
                progress(name, best)

    watcher = threading.Thread(target=watch, name=f"progress of {name}", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
    progress(name, 1.0)


def _tasks_done(tracker: Any, before: set[int]) -> int:
    done = 0
    for job in set(tracker.getJobIdsForGroup(None)) - before:
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info else ():
            known = tracker.getStageInfo(stage)
            done += known.numCompletedTasks if known else 0
    return done
