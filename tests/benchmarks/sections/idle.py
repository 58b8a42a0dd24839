"""What a pipeline costs while nothing arrives."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

from interleave import interleave
from micro.compiled import compiled
from micro.pipeline import KEYS, Micro
from sections.section import Plan, Section, Tell

from streambench.execute import execute
from streambench.options import Options
from streambench.pipeline import Pipeline
from streambench.statistics import summary

MOST = 2.0  # per cent of a core
LONG = 6  # times as long as other runs: the first milliseconds, in which workers fall asleep, must not count


def measure(plan: Plan, tell: Tell) -> Section:
    """A source in which nothing arrives, and an open loop whose first tuple comes at the end; 2 workers."""
    section = Section("Idle pipeline")
    seconds = LONG * plan.seconds
    tell(f"2 workers without input, {seconds:.1f} s each")
    things = {"a silent source": lambda: cpu_use(silent(seconds)), "an open loop": lambda: cpu_use(late(seconds))}
    for name, values in interleave(things, plan.repeats, plan.distances, warm_up=False).items():
        section.record(name, values, "% of a core")
        section.add(f"CPU use, {name}", summary(values), "%", MOST, at_most=True)
    return section


def silent(seconds: float) -> Callable[[], None]:
    """What runs a pipeline whose source has nothing for so long, and then ends."""
    made = compiled()

    def run() -> None:
        execute(
            Pipeline([made.SilentSource(seconds), made.Map(), made.Count(KEYS), made.DigestSink()]), Options(workers=2)
        )

    return run


def late(seconds: float) -> Callable[[], None]:
    """What runs a pipeline of one tuple, which arrives after so long."""

    def run() -> None:
        Micro(1).engine(Options(workers=2, rate=1 / seconds))

    return run


def cpu_use(run: Callable[[], None]) -> float:
    """The processor time that the process takes during ``run``, in per cent of one core."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    run()
    after, ended = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    used = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return 100 * used / (ended - begun)
