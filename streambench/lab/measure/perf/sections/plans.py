"""The plan that the workers choose, against plans by hand: quiet, and beside one process that burns a core.

By hand are `whole` (one worker, fused), `cut` (segments, none by partition) and `sharded`, with workers that stay on
their cores and with workers that may move. The best by hand is the one with the least median; it is picked from the
same runs, so that chance makes it look better than it is, by a little. Runs are twice as long as others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import median

from streambench.execution.options import Engine, Options
from streambench.lab.measure.perf.burners import busy
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.sections.neighbours import LONG
from streambench.lab.measure.perf.sections.workers import laps_for
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import load, stream
from streambench.lab.measure.perf.timed_query import timed
from streambench.lab.record.perf_summary import number

NAME, TITLE, NEEDS_DATA = "plans", "The plan chosen against plans by hand", False
MICRO = "no work"
MEASURED = ("q1", "q2", "q3", "q4", "q15")
BESIDE = {"quiet": 0, "beside one busy": 1}
PLANS = ("whole", "cut", "sharded")
CHOSEN = "chosen"
SERIAL: Engine = "serial"

Runs = dict[str, Callable[[], float]]
"""By the engine or the plan, what measures ns per tuple."""


def options(workers: int, laps: int, laps_of_one: int) -> dict[str, Options]:
    """What is compared, by name. What one worker does alone is replayed ``laps_of_one`` times: it takes longer."""
    base = Options(workers=workers, laps=laps, preload=True)
    by_hand = {plan: replace(base, plan=plan, laps=laps_of_one if plan == "whole" else laps) for plan in PLANS}
    moving = {f"{plan} unpinned": replace(each, pin=False) for plan, each in by_hand.items()}
    return {CHOSEN: base, SERIAL: Options(engine=SERIAL, laps=laps_of_one, preload=True), **by_hand, **moving}


def cases(settings: Settings) -> list[Case]:
    """The micro pipeline without work; with data, the queries, too."""
    workers = max((2, *settings.workers))

    def micro(tell: Tell) -> Runs:
        streams = [stream(0, "map", LONG * settings.seconds * times) for times in (workers / 2, 1)]
        by_laps = {each.laps: each for each in streams}
        chosen = options(workers, *(each.laps for each in streams))
        return {name: lambda how=how: by_laps[how.laps].engine(how)[0].ns for name, how in chosen.items()}  # type: ignore[misc]

    def of_query(name: str) -> Callable[[Tell], Runs]:
        def runs(tell: Tell) -> Runs:
            workload = load(settings, name, tell)
            laps = laps_for(workload, LONG * settings.seconds, workers)
            chosen = options(workers, laps, -(-2 * laps // workers))
            return {each: timed(workload, how) for each, how in chosen.items()}

        return runs

    measured = {MICRO: micro, **{name: of_query(name) for name in settings.streams if name in MEASURED}}
    return [_case(settings, name, where, runs) for name, runs in measured.items() for where in BESIDE]


def _case(settings: Settings, name: str, where: str, runs: Callable[[Tell], Runs]) -> Case:
    what = f"{name}, {where}"

    def measure(into: Measured, tell: Tell) -> None:
        own = own_loops(settings.seconds)
        things = {**runs(tell), **own}
        with busy(BESIDE[where]):
            found = interleave(things, settings.repeats, into.distances, tell, limit=settings.limit)
        into.keep(found, NS)
        speeds = {each: number(1e3 / median(values)) for each, values in found.items()}
        by_hand = [each for each in found if each not in (CHOSEN, SERIAL, *own)]
        best = min(by_hand, key=lambda each: median(found[each]))
        told = ", ".join(f"{each} {speeds[each]}" for each in by_hand)
        into.ratio(f"{what}: {CHOSEN} against the best by hand", best, CHOSEN, note=f"{told} M tuples/s")
        note = f"{speeds[CHOSEN]} and {speeds[SERIAL]} M tuples/s; {two_loops(found)}"
        into.ratio(f"{what}: {CHOSEN} against {SERIAL}", SERIAL, CHOSEN, note=note)

    return Case(what, measure)
