"""The machine's own two loops at once, measured beside what a section measures: what a second thread gives just then.

They share nothing but the machine, and loop over the micro pipeline's stream without work.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from streambench.lab.measure.perf.case import NS, Values
from streambench.lab.measure.perf.streams import loop, loops, stream
from streambench.lab.record.perf_summary import number
from streambench.lab.record.statistics import paired_ratio

ONE_LOOP, TWO_LOOPS = "one loop", "two loops at once"


def own_loops(seconds: float) -> dict[str, Callable[[], float]]:
    """By name what measures one loop, and two at once, of about ``seconds``: to be interleaved with other things."""
    micro = stream(0, "map", seconds)
    return {ONE_LOOP: loop(micro), TWO_LOOPS: loops(micro, 2)}


def two_loops(values: Values, one: str = ONE_LOOP) -> str:
    """How many times as much as ``one`` loop two did in the same runs, as a note."""
    return f"{TWO_LOOPS} {number(paired_ratio(values[one], values[TWO_LOOPS]).median)}"


def costs(values: Values, *names: str, unit: str = NS) -> str:
    """The medians of some series, as a note."""
    return f"{' and '.join(number(median(values[name])) for name in names)} {unit}"
