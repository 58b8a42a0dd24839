"""Measuring several things side by side: A B B A ..., so that whatever drifts falls on all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from streambench.host.core_distance import round_trips
from streambench.host.ready_memory import forget_peak, make_ready
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.perf.burners import busy
from streambench.lab.measure.perf.case import NS, Measured, PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.own_loops import own_loops
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit

T = TypeVar("T")


def interleave(
    things: Mapping[str, Callable[[], T]],
    repeats: int,
    distances: list[float],
    tell: Tell = lambda what: None,
    *,
    warm_up: bool = True,
    limit: TimeLimit = NO_LIMIT,
) -> dict[str, list[T]]:
    """Call each of ``things`` ``repeats`` times, in the order A B B A ..., and return what they returned.

    ``warm_up``: call each once before, for nothing: what is computed once is there then, and it is known how much
    memory to make ready before each call. ``distances``: the cores' round trip, in ns, is appended before each repeat.
    ``tell``: called with what is done next. ``limit``: no repeat but the first begins when its part is over.
    """
    names = list(things)
    forget_peak()
    for name in names if warm_up else ():
        tell(f"{name}, warming up")
        things[name]()
    measured: dict[str, list[T]] = {name: [] for name in names}
    begun = -1
    for repeat, place in interleaved(len(names), repeats):
        if repeat != begun and repeat:
            limit.ran()
            if limit.part_is_over:
                break
        make_ready()
        if repeat != begun:
            begun = repeat
            distances.extend(round_trips().values())
        tell(f"{names[place]}, repeat {repeat + 1} of {repeats}")
        measured[names[place]].append(things[names[place]]())
    return measured


def compared(
    settings: PerfSettings,
    name: str,
    things: Callable[[Tell], Mapping[str, Callable[[], float]]],
    rows: Callable[[Values], Iterable[Row]],
    *,
    unit: str = NS,
    beside: int | None = None,
    warm_up: bool = True,
    most_repeats: int = 1 << 30,
) -> PerfCase:
    """The case of things that give a number each, made when their turn comes.

    ``beside``: the machine's own loops are measured among them, all beside so many processes that burn a core.
    """

    def measure(into: Measured, tell: Tell) -> None:
        all_things = {**things(tell), **(own_loops(settings.seconds) if beside is not None else {})}
        repeats = min(settings.repeats, most_repeats)
        with busy(beside or 0):
            values = interleave(all_things, repeats, into.distances, tell, warm_up=warm_up, limit=settings.limit)
        into.keep(values, unit)
        into.add(rows(values))

    return PerfCase(name, measure)
