"""Tasks prepared in parallel that end in order: the Ordered Scheduler against a lock, a condition variable, a thread
that consumes and, in Python, `concurrent.futures` (paper 003). Every run's order is checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.measure.order import ordered_tasks
from streambench.lab.measure.order.python_tasks import ALONE, SCHEDULER, WAYS, Function
from streambench.lab.measure.perf.case import PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.interleave import compared
from streambench.lab.measure.perf.micro_pipeline import iterations_for, pinned
from streambench.lab.measure.perf.settings import PerfSettings

Things = dict[str, Callable[[], float]]

NS = "ns per task"
WORK = {"0.1 µs": 100, "1 µs": 1_000, "10 µs": 10_000, "100 µs": 100_000}
LANGUAGES = ("Cython", "Python")
OVERHEAD = {"Cython": 100, "Python": 10_000}  # ns of a task, a guess, from which a run's length follows
LEAST_TASKS = 100


def order(settings: PerfSettings) -> list[PerfCase]:
    """Each amount of work in both languages."""
    threads = max(settings.workers or (2,))

    def things(language: str, ns: int, tell: Tell) -> Things:
        iterations = iterations_for(ns)
        tasks = max(LEAST_TASKS, int(settings.seconds * 1e9 / (ns + OVERHEAD[language])))
        digest = ordered_tasks.in_one_thread(tasks, iterations)
        if language == "Cython":
            by_name = ordered_tasks.BY_NAME
            crews = {name: partial(_crew, kind, threads, tasks, iterations, digest) for name, kind in by_name.items()}
            return {ALONE: partial(_alone, tasks, iterations), **crews}
        function = partial(_prepare, iterations)
        return {name: partial(_in_python, way, function, tasks, threads, digest) for name, way in WAYS.items()}

    def rows(what: str, values: Values) -> Iterator[Row]:
        yield Row(f"{what}: against {ALONE}", ALONE, SCHEDULER)
        for name in values:
            if name not in (ALONE, SCHEDULER):
                yield Row(f"{what}: against {name}", name, SCHEDULER)

    return [
        compared(settings, what, partial(things, language, ns), partial(rows, what), unit=NS)
        for language in LANGUAGES
        for amount, ns in WORK.items()
        for what in [f"{language}, {amount}"]
    ]


def _prepare(iterations: int, number: int) -> int:
    prepared: int = ordered_tasks.prepared(number, iterations)
    return prepared


def _alone(tasks: int, iterations: int) -> float:
    begun = time.perf_counter()
    with pinned():
        ordered_tasks.in_one_thread(tasks, iterations)
    return (time.perf_counter() - begun) / tasks * 1e9


def _crew(kind: Any, threads: int, tasks: int, iterations: int, digest: int) -> float:
    crew = kind(threads, tasks, iterations)
    crew.run()
    return _checked(float(crew.seconds) / tasks * 1e9, int(crew.digest), digest, kind.__name__)


def _in_python(
    way: Callable[[Function, int, int], Iterable[int]], function: Function, tasks: int, threads: int, digest: int
) -> float:
    begun = time.perf_counter()
    results = list(way(function, tasks, threads))
    seconds = time.perf_counter() - begun
    return _checked(seconds / tasks * 1e9, ordered_tasks.digest_of(results), digest, way.__name__)


def _checked(ns: float, found: int, digest: int, who: str) -> float:
    if found != digest:
        raise StreambenchError(f"{who}: the tasks did not end in order.")
    return ns
