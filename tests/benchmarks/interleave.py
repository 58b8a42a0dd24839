"""Measuring several things side by side: A B B A ..., so that whatever drifts falls on all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from streambench.checked_run import interleaved
from streambench.core_distance import round_trips
from streambench.ready_memory import forget_peak, make_ready

T = TypeVar("T")


def interleave(
    things: Mapping[str, Callable[[], T]], repeats: int, distances: list[float], *, warm_up: bool = True
) -> dict[str, list[T]]:
    """Call each of ``things`` ``repeats`` times, in the order A B B A ..., and return what they returned.

    ``warm_up``: call each once before, for nothing: what is computed once is there then, and it is known how much
    memory to make ready before each call. ``distances``: the cores' round trip, in ns, is appended before each repeat.
    """
    names = list(things)
    forget_peak()
    for name in names if warm_up else ():
        things[name]()
    measured: dict[str, list[T]] = {name: [] for name in names}
    begun = -1
    for repeat, place in interleaved(len(names), repeats):
        make_ready()
        if repeat != begun:
            begun = repeat
            distances.extend(round_trips().values())
        measured[names[place]].append(things[names[place]]())
    return measured
