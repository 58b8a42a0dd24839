"""What one decision of the schemes' scheduler costs, over pipelines of 3 to 24 stages that all have work.

*Alone*: nothing changes between two decisions. *Hammered*: on another core a thread makes visits of one tuple to all
stages, one after the other, without a pause; no worker does as little between two visits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from streambench.execution.options import HEURISTICS
from streambench.host.limits import allowed_cpus
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.scheduling import compiled
from streambench.lab.measure.perf.settings import Settings
from streambench.pyx.schemes.heuristics import make
from streambench.pyx.table_source import TableSource

NAME, TITLE, NEEDS_DATA = "decisions", "A decision of the schemes' scheduler", False
STAGES = (3, 6, 12, 24)
PER_SECOND = 100_000  # decisions of a run: at the usual length as many as say something
CAPACITY = 8192.0
UNIT = "ns per decision"


def cases(settings: Settings) -> list[Case]:
    """Every heuristic, alone and, where there is a second core, hammered."""
    cores = allowed_cpus()
    ways = [("alone", cores[:1]), *([("hammered", cores[:2])] if len(cores) > 1 else [])]
    return [_case(settings, way, on) for way, on in ways]


def cost(heuristic: str, stages: int, decisions: int, cores: Sequence[int]) -> Callable[[], float]:
    """What measures a heuristic, in ns per decision."""

    def run() -> float:
        source = TableSource([np.arange(100_000)], ["a"])
        scheduled = compiled().Scheduled(source, stages, make(heuristic, CAPACITY))
        return float(scheduled.time(decisions, list(cores)))

    return run


def _case(settings: Settings, way: str, cores: Sequence[int]) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        decisions = max(100, int(settings.seconds * PER_SECOND))
        things = {f"{name}, {n} stages": cost(name, n, decisions, cores) for name in HEURISTICS for n in STAGES}
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, UNIT)
        for name in HEURISTICS:
            by_stages = ", ".join(f"{median(found[f'{name}, {n} stages']):.0f} of {n}" for n in STAGES[:-1])
            into.median(f"{name}, {way}: of {STAGES[-1]} stages", f"{name}, {STAGES[-1]} stages", "ns", note=by_stages)

    return Case(way, measure)
