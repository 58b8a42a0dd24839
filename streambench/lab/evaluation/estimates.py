"""What the parts of an evaluation take, in seconds: how long a run is, and a guess at what goes before and between."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from streambench.lab.measure.perf.sections.micro import doublings as _doublings
from streambench.lab.measure.snet.bench import QUICK, SnetBench
from streambench.lab.measure.sweep.presets import few_workers, preset
from streambench.lab.measure.sweep.schedule import Schedule, expected_seconds
from streambench.lab.measure.topk.bench import TopkBench

RUN = 0.3
"""Seconds of a run: 30 windows of the scheduler of `schemes`, more than the 20 that its estimates take to settle."""
START = 4.0  # seconds of a command's start, of looking at the machine before and after, and of its result
BETWEEN = 0.1  # seconds between two runs: memory is made ready, the cores' distance measured
LOAD = 2.5  # seconds to load a query's stream and SQL's answers
CALIBRATION = 0.7  # seconds of a configuration's first runs
LONGEST = 4  # times as long as the fastest a configuration's run is at most: streams are of one length
SEARCH = 9  # runs that find a join's sustainable rate
PAIR, QUERY_PAIR = 5.0, 25.0  # seconds of a comparison with the simulator: a query's tuples are many


def doublings(most: int) -> tuple[int, ...]:
    """1, 2, 4 and so on, and ``most``."""
    return tuple(_doublings(most))


def queries_seconds(counts: Sequence[int], queries: int, repeats: int, run: float = RUN) -> float:
    """Of `bench queries` with so many workers, and serial."""
    most = max(counts)
    lengths = [min(LONGEST, most), *(min(LONGEST, most / count) for count in counts)]
    each = sum(run * length + BETWEEN for length in lengths)
    return queries * (LOAD + len(lengths) * CALIBRATION + repeats * each)


def perf_seconds(repeats: int, counts: Sequence[int], cases: int) -> float:
    """Of the section scaling: workers and loops, twice more to find the streams' lengths, and three times the
    references, which take as long as one core takes for the longest stream."""
    runs = 2 * len(counts) * (repeats + 1) + 2 * len(counts)
    return cases * RUN * (runs + 3 * max(counts))


@functools.cache  # a plan asks again before each part
def sweep_seconds(
    counts: tuple[int, ...],
    figures: str,
    axes: str,
    repeats: int,
    cores: int,
    run: float = RUN,
    *,
    narrow: bool = True,
) -> float:
    """Of `bench sweep --preset paper`, as it reckons itself. ``axes``: options such as `--queries q1`."""
    words = axes.split()
    chosen: dict[str, tuple[object, ...]] = {
        name.removeprefix("--"): tuple(value.split(",")) for name, value in zip(words[::2], words[1::2], strict=True)
    }
    if narrow:
        chosen |= {"sigmas": (0.1, 1.0), "workers": tuple(counts)}
    only = tuple(figures.split(",")) if figures else ()
    comparisons = preset("paper", counts or few_workers(cores)).comparisons(only, chosen)
    schedule = Schedule(comparisons, repeats=repeats, seconds=run, cores=cores)
    return expected_seconds(replace(schedule, cores=cores), BETWEEN)


def joins_seconds(
    points: float,
    repeats: int,
    studies: int,
    gates: bool,
    run: float = RUN,
    study: float = 3.0,
    window: float = 1.0,
) -> float:
    """Of `bench joins`: of each point the search of its rate, runs at full speed and, thrice as long, at that rate."""
    fill = min(window, 4 * run)  # a window is filled at full speed, and faster than it is compared
    each = SEARCH * (run + fill) + repeats * (4 * run + 2 * fill + 2 * BETWEEN)
    return points * each + studies * (study + 2.0) + (repeats * 8 * (run + BETWEEN) if gates else 0.0)


def topk_seconds(counts: Sequence[int], alphas: Sequence[float], figures: Sequence[str], repeats: int) -> float:
    """Of `bench topk`: a run for each point and repeat, and one more that says how many laps a run takes. Designs that
    gain nothing by threads take longer with many streams."""
    how = {"figures": tuple(figures)} if figures else {}
    bench = TopkBench(alphas=tuple(alphas), streams=tuple(counts), failing=(0.0, 0.25), items=100_000, **how)  # type: ignore[arg-type]
    runs = [max(RUN, 0.05 * point.threads) + 2 * BETWEEN for point in bench.points()]
    return (repeats + 1) * sum(runs) + len(alphas) * (3.0 + 0.1 * max(counts))


def snet_seconds(cases: Sequence[str], matrices: Sequence[str], counts: Sequence[int], repeats: int) -> float:
    """Of `bench snet`: a run for each point and repeat, and one more; each answer is checked, too."""
    bench = SnetBench(tuple(cases), QUICK, tuple(matrices), tuple(counts), concurrency=(1, 4))
    return (repeats + 1) * 2.0 * RUN * len(bench.points())


def validate_seconds(workloads: Sequence[str], counts: Sequence[int]) -> float:
    """Of `simulate validate --usual`, of two engines."""
    return 2 * len(counts) * sum(QUERY_PAIR if name.startswith("q") else PAIR for name in workloads)
