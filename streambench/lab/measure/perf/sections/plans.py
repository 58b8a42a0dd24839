"""The plan that the workers choose, against plans by hand: quiet, and beside one process that burns a core.

By hand are `whole` (one worker, fused), `cut` (segments, none by partition) and `sharded`, with workers that stay on
their cores and with workers that may move. The best by hand is the one with the least median; it is picked from the
same runs, so that chance makes it look better than it is, by a little. Runs are twice as long as others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from statistics import median

from streambench.execution.options import Engine, Options
from streambench.lab.measure.perf.case import PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.interleave import compared
from streambench.lab.measure.perf.own_loops import ONE_LOOP, TWO_LOOPS, two_loops
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.streams import laps_for, load, stream, timed
from streambench.lab.record.perf_summary import number

LONG = 2  # times as long as other runs
MICRO = "no work"
MEASURED = (MICRO, "q1", "q2", "q3", "q4", "q15")
BESIDE = {"quiet": 0, "beside one busy": 1}
PLANS = ("whole", "cut", "sharded")
CHOSEN = "chosen"
SERIAL: Engine = "serial"


def options(workers: int, laps: int, laps_of_one: int) -> dict[str, Options]:
    """What is compared, by name. What one worker does alone is replayed ``laps_of_one`` times: it takes longer."""
    base = Options(workers=workers, laps=laps, preload=True)
    by_hand = {plan: replace(base, plan=plan, laps=laps_of_one if plan == "whole" else laps) for plan in PLANS}
    moving = {f"{plan} unpinned": replace(each, pin=False) for plan, each in by_hand.items()}
    return {CHOSEN: base, SERIAL: Options(engine=SERIAL, laps=laps_of_one, preload=True), **by_hand, **moving}


def plans(settings: PerfSettings) -> list[PerfCase]:
    """The micro pipeline without work; with data, the queries, too."""
    workers = max((2, *settings.workers))
    seconds = LONG * settings.seconds

    def things(name: str, tell: Tell) -> dict[str, Callable[[], float]]:
        if name == MICRO:
            streams = [stream(0, "map", seconds * times) for times in (workers / 2, 1)]
            by_laps = {each.laps: each for each in streams}
            chosen = options(workers, *(each.laps for each in streams))
            return {each: lambda how=how: by_laps[how.laps].engine(how)[0].ns for each, how in chosen.items()}  # type: ignore[misc]
        workload = load(settings, name, tell)
        laps = laps_for(workload, seconds, workers)
        return {each: timed(workload, how) for each, how in options(workers, laps, -(-2 * laps // workers)).items()}

    def rows(what: str, by_plan: Values) -> Iterator[Row]:
        speeds = {each: number(1e3 / median(values)) for each, values in by_plan.items()}
        by_hand = [each for each in by_plan if each not in (CHOSEN, SERIAL, ONE_LOOP, TWO_LOOPS)]
        best = min(by_hand, key=lambda each: median(by_plan[each]))
        rates = ", ".join(f"{each} {speeds[each]}" for each in by_hand)
        yield Row(f"{what}: {CHOSEN} against the best by hand", best, CHOSEN, note=f"{rates} M tuples/s")
        note = f"{speeds[CHOSEN]} and {speeds[SERIAL]} M tuples/s; {two_loops(by_plan)}"
        yield Row(f"{what}: {CHOSEN} against {SERIAL}", SERIAL, CHOSEN, note=note)

    return [
        compared(settings, what, partial(things, name), partial(rows, what), beside=busy)
        for name in MEASURED
        if name == MICRO or name in settings.streams
        for where, busy in BESIDE.items()
        for what in [f"{name}, {where}"]
    ]
