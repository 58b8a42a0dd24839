"""The machine's own two loops at once, measured beside what a section measures: what a second thread gives just then.

They share nothing but the machine, and loop over the micro pipeline's stream without work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from streambench.lab.measure.perf.micro_pipeline import MicroPipeline
from streambench.lab.measure.perf.streams import stream
from streambench.lab.record.perf_summary import number
from streambench.lab.record.statistics import paired_ratio

ONE_LOOP, TWO_LOOPS = "one loop", "two loops at once"


def loop(micro: MicroPipeline) -> Callable[[], float]:
    """What measures the loop, in ns per tuple."""
    return lambda: micro.loop().ns


def loops(micro: MicroPipeline, threads: int) -> Callable[[], float]:
    """What measures as many loops at the same time, in ns per tuple: the most that these cores give."""
    return lambda: micro.loops(threads).ns


def own_loops(seconds: float) -> dict[str, Callable[[], float]]:
    """By name what measures one loop, and two at once, of about ``seconds``: to be interleaved with other things."""
    micro = stream(0, "map", seconds)
    return {ONE_LOOP: loop(micro), TWO_LOOPS: loops(micro, 2)}


def two_loops(found: Mapping[str, Sequence[float]], one: str = ONE_LOOP) -> str:
    """How many times as much as ``one`` loop two did in the same runs, as a note."""
    return f"{TWO_LOOPS} {number(paired_ratio(found[one], found[TWO_LOOPS]).median)}"
