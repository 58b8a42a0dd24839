"""What a pipeline costs while nothing arrives."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.micro_pipeline import KEYS, MicroPipeline
from streambench.lab.measure.perf.settings import Settings
from streambench.queries.baselines.micro_operators import Count, DigestSink, Map, SilentSource

NAME, TITLE, NEEDS_DATA = "idle", "Idle pipeline", False
LONG = 6  # times as long as other runs: the first milliseconds, in which workers fall asleep, must not count


def cases(settings: Settings) -> list[Case]:
    """A source in which nothing arrives, and an open loop whose first tuple comes at the end; 2 workers."""

    def measure(into: Measured, tell: Tell) -> None:
        seconds = LONG * settings.seconds
        things = {"a silent source": lambda: cpu_use(silent(seconds)), "an open loop": lambda: cpu_use(late(seconds))}
        into.keep(interleave(things, settings.repeats, into.distances, tell, warm_up=False), "% of a core")
        for name in things:
            into.median(f"CPU use, {name}", name, "%")

    return [Case("no input", measure)]


def silent(seconds: float) -> Callable[[], None]:
    """What runs a pipeline whose source has nothing for so long, and then ends."""

    def run() -> None:
        execute(Pipeline([SilentSource(seconds), Map(), Count(KEYS), DigestSink()]), Options(workers=2))

    return run


def late(seconds: float) -> Callable[[], None]:
    """What runs a pipeline of one tuple, which arrives after so long."""

    def run() -> None:
        MicroPipeline(1).engine(Options(workers=2, rate=1 / seconds))

    return run


def cpu_use(run: Callable[[], None]) -> float:
    """The processor time that the process takes during ``run``, in per cent of one core."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    run()
    after, ended = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return 100 * used / (ended - begun)
