"""A neighbour that comes and goes: how soon two workers make way for it, and when they are back.

A process begins to burn a core after a third of the run, and ends after another. What is told comes of the run's
choices: workers have made way once they may leave their cores, and are back once each is bound to its own again. If
they go on waiting for their cores, the plan becomes `whole`.

What never happened counts with all the time there was for it: with the rest of the run for workers that did not make
way, with the time that the process was there for a plan that was not `whole`, and with all of the time afterwards for
workers that were not back, and for those that were bound when the process went: they had not made way, or no longer,
so there was nothing that they could be back from. The machine has to be quiet but for that process: where workers had
made way before it came, the run is repeated, a few times, and then left out. Between the runs the machine's own two
loops are measured, without the neighbour.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from streambench.errors import StreambenchError
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.lab.measure.perf.burners import Burner
from streambench.lab.measure.perf.case import NS, Measured, PerfCase, Row, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.streams import stream
from streambench.lab.record.perf_summary import TIMES

STREAMS = {"100 ns, half and half": "both", "100 ns, keyed": "keyed"}
WHOLE = "whole"
LONG = 8  # times as long as other runs: trials shall have settled before, and come again after
LEAST = 0.6  # seconds: it takes some hundredths until a process is there
TRIES = 4
AFTER = 0.5  # of what is left of the run once it is over: from there the speed afterwards is taken


@dataclass(frozen=True)
class Reaction:
    """Seconds until workers ``made_way``, until the plan was ``whole``, and until they were ``back``: with the rest of
    the run, or of the neighbour's time, if they never were.

    ``stayed``: they were on their cores when it went, so that there is no way back. ``never``: they were not back until
    the end. ``speed``: tuples per second afterwards to those before.
    """

    made_way: float
    whole: float
    back: float
    stayed: bool
    never: bool
    speed: float


Choices = Sequence[tuple[float, bool, str]]
"""From when on, in seconds since the start of a run, were workers bound to their cores, and what was the plan?"""


def reaction(choices: Choices, begin: float, end: float, seconds: float, speed: float) -> Reaction | None:
    """Of a neighbour from ``begin`` to ``end``, in a run of ``seconds``; the first choice is at the start.

    None: workers had made way before it came, so that it cannot be told whether they would have for it.
    """
    bound = [(at, each) for at, each, _ in choices]
    earlier = [each for at, each in bound if at < begin]
    if earlier and not earlier[-1]:
        return None
    made_way = next((at for at, each in bound if at >= begin and not each), seconds) - begin
    # A trial of the plan whole by workers that are bound to their cores is no answer to a neighbour.
    whole = next((at for at, each, plan in choices if begin <= at < end and plan == WHOLE and not each), end) - begin
    stayed = [each for at, each in bound if at < end][-1]
    back = None if stayed else next((at - end for at, each in bound if at >= end and each), None)
    never = back is None and not stayed
    return Reaction(made_way, whole, seconds - end if back is None else back, stayed, never, speed)


def cases(settings: PerfSettings) -> list[PerfCase]:
    """The micro pipeline with 100 ns of work, where segments pay."""
    return [_case(settings, name, where) for name, where in STREAMS.items()]


def _case(settings: PerfSettings, name: str, where: str) -> PerfCase:
    def measure(into: Measured, tell: Tell) -> None:
        micro = stream(100, where, max(LEAST, LONG * settings.seconds))
        options = Options(workers=2, laps=micro.laps, preload=True)

        def run() -> Measurement:
            return micro.engine(options)[1]

        tell("how long it takes")
        usual = run().seconds
        things: dict[str, Callable[[], Any]] = {"run": lambda: _settled(run, usual), **own_loops(settings.seconds)}
        by_thing = interleave(things, settings.repeats, into.distances, tell, warm_up=False, limit=settings.limit)
        runs: list[Reaction | None] = by_thing.pop("run")
        into.keep(by_thing, NS)
        reactions = [each for each in runs if each is not None]
        if not reactions:
            raise StreambenchError(
                "workers had made way before, each time: wait for quiet, or choose other sections by --section."
            )
        measures: dict[str, tuple[list[float], str]] = {
            "until workers make way": ([1e3 * each.made_way for each in reactions], "ms"),
            "until the plan is whole": ([1e3 * each.whole for each in reactions], "ms"),
            "until they are back": ([1e3 * each.back for each in reactions], "ms"),
            "speed afterwards to before": ([each.speed for each in reactions], TIMES),
        }
        out = len(runs) - len(reactions)
        notes = (
            f"{out} of {len(runs)} runs left out: they had made way before" if out else "",
            "",
            _told(
                (_count(reactions, "never", "were not back"), _count(reactions, "stayed", "were bound when it went"))
            ),
            two_loops(by_thing),
        )
        for (what, (values, unit)), note in zip(measures.items(), notes, strict=True):
            row = f"{name}: {what}"
            into.keep({row: values}, unit)
            into.add([Row(row, row, unit=unit, note=note)])

    return PerfCase(name, measure)


def _settled(run: Callable[[], Measurement], usual: float) -> Reaction | None:
    """Of a run in which workers were on their cores when the neighbour came; None: of a few none was.

    Raises StreambenchError where none of them lasted until it had gone.
    """
    lasted = False
    for _ in range(TRIES):
        long_enough, reaction, usual = _disturbed(run, usual)
        if reaction is not None:
            return reaction
        lasted = lasted or long_enough
    if not lasted:
        raise StreambenchError("runs differ so much that none lasted until its neighbour had gone: wait for quiet.")
    return None


def _disturbed(run: Callable[[], Measurement], usual: float) -> tuple[bool, Reaction | None, float]:
    """Whether it lasted until the neighbour had gone; what `reaction` says then; the seconds of a run, undisturbed."""
    now = time.monotonic()
    with Burner(now + usual / 3, now + 2 * usual / 3) as burner:
        measured = run()
        begin, end = (at - measured.begun for at in burner.moments())
    if end >= measured.seconds:
        return False, None, measured.seconds
    choices = [(float(each["seconds"]), bool(each["bound"]), str(each["plan"])) for each in measured.choices]
    return True, reaction(choices, begin, end, measured.seconds, _afterwards(measured, begin, end)), usual


def _afterwards(measured: Measurement, begin: float, end: float) -> float:
    """Tuples per second afterwards, to those of the second half of the time before."""
    index, _, left = measured.markers
    late = end + AFTER * (measured.seconds - end)

    def speed(since: float, until: float) -> float:
        inside = np.flatnonzero((left >= since) & (left < until))
        if len(inside) < 2:
            return 0.0
        first, last = inside[0], inside[-1]
        return float((index[last] - index[first]) / max(left[last] - left[first], 1e-9))

    before = speed(begin / 2, begin)
    return speed(late, measured.seconds) / before if before else 0.0


def _count(reactions: Sequence[Reaction], flag: str, words: str) -> str:
    count = sum(getattr(each, flag) for each in reactions)
    return f"{words} in {count} of {len(reactions)} runs" if count else ""


def _told(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part)
