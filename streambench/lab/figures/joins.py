"""Paper 001's figures: comparisons, tuples, balance and latency over threads, gates, and streams through time.

The paper has two machines, S1 and S2; here is one, so that figures 5a to 5c stand for 5d to 5f, too, 6a for 6b, 7b for
7c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import itemgetter
from statistics import fmean

from streambench.lab.figures.chart import LOG
from streambench.lab.figures.join_skew import STUDIES
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.points import Document, Point, Series, right_points, values_of
from streambench.lab.figures.recipe import Axis, Drawn, Mark, Paper, Recipe, level, measured
from streambench.lab.record.join_summary import GATE, KIND, POINT, rows, wrong
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.run import Row

__all__ = ["CHARTS", "KIND", "PAPER", "caption"]

SCALE, HANDSHAKE = "scale", "handshake"
THREADS = Axis("processing threads", itemgetter("threads"))
SOURCES = Axis("sources", itemgetter("sources"), LOG)
SHOWN = ("join", "tier", "threads", "window_seconds", "window_tuples", "rate", "sources", "readers")
CHECKED = (
    "every run's output tuples were checked against those of the index on one thread, and these against a naive join"
)
TIER = itemgetter("tier")
AT_FULL_SPEED, BOTH = "runs at full speed", "runs of both the joins scale and handshake"


def points(document: Document, measure: str) -> list[Point]:
    """The points of a measure without a wrong run, in the order of the document."""
    return right_points(
        document["runs"], (*POINT, "sources", "readers"), SHOWN, lambda run: bool(run["measure"] == measure)
    )


def of_scale(document: Document, measure: str = "throughput") -> list[Point]:
    """Those of ScaleJoin."""
    return [point for point in points(document, measure) if point["join"] == SCALE]


def at_a_rate(document: Document) -> list[Point]:
    """ScaleJoin's whose latency was measured."""
    return of_scale(document, "latency")


def of_longest_window(document: Document) -> list[Point]:
    """ScaleJoin's at full speed of the longest window."""
    scale_points = of_scale(document)
    longest = max((point["window_seconds"] for point in scale_points), default=0)
    return [point for point in scale_points if point["window_seconds"] == longest]


def of_gates(document: Document) -> list[Point]:
    """Gates, by the number of their readers."""
    return sorted(points(document, GATE), key=itemgetter("readers"))


def of_both(document: Document) -> list[Point]:
    """ScaleJoin as published, beside it the handshake join with as many threads and one window."""
    scans = [point for point in points(document, "throughput") if point["tier"] == "scan"]
    return [
        replace(ours, beside=theirs)
        for ours in scans
        for theirs in scans
        if (ours["join"], theirs["join"]) == (SCALE, HANDSHAKE)
        and all(ours[name] == theirs[name] for name in ("threads", "window_seconds"))
        and len(ours.runs) == len(theirs.runs)
    ]


def each_of_both(document: Document) -> list[Point]:
    """The same, as points of their own."""
    return [each for ours in of_both(document) for each in (ours, ours.beside) if each is not None]


def comparisons(run: Run) -> float:
    return float(run["comparisons_per_second"])


def sustained(run: Run) -> float:
    """Tuples per second of each side; what was faster than the window's rate would have had a larger window."""
    return float(min(run["tuples_per_second"], run["sustainable_rate"]))


def each_thread(run: Run) -> float:
    """A thread's comparisons per second, on the average."""
    return comparisons(run) / int(run["threads"])


def deviation(run: Run) -> float:
    return float(run["per_thread_deviation"])


def length(point: Point) -> str:
    """The window in words: a line's name."""
    window = point["window_seconds"]
    return f"{window / 60:g} min" if window >= 60 else f"{window:g} s"


def more_than_beside(point: Point) -> Series:
    """What a point compares more in a second than the one beside it."""
    theirs = point.beside.series(comparisons) if point.beside else {}
    return {repeat: value - theirs[repeat] for repeat, value in point.series(comparisons).items()}


def readers(point: Point) -> str:
    """The readers of a gate in words: a line's name."""
    return f"{point['readers']} reader{'s' * (point['readers'] > 1)}"


def grown(scale_points: Iterable[Point], value: Callable[[Run], float]) -> str:
    """By tier, how much more its most threads have than its fewest, over the windows, in a sentence after a blank."""
    growths = []
    for tier in values_of(scale_points := list(scale_points), "tier"):
        own = [point for point in scale_points if point["tier"] == tier]
        few, many = (pick(point["threads"] for point in own) for pick in (min, max))
        ratios = [
            last.middle(value) / first.middle(value)
            for first in own
            for last in own
            if first["threads"] == few < many == last["threads"] and first["window_seconds"] == last["window_seconds"]
        ]
        if ratios:
            growths.append(f"{tier} {fmean(ratios):.2f} times from {few} to {many}")
    return f" Here {', '.join(growths)} threads." if growths else ""


def _over_threads(
    name: str, also: str, value: Callable[[Run], float], label: str, text: str, word: str, gain: Callable[[int], float]
) -> Recipe:
    """A panel for each tier, a line for each window, and in grey how much an ideal join gains from so many threads."""

    def ideal(drawn: Drawn) -> Iterable[Row]:
        counts = sorted(set(values_of(drawn.points, "threads")))
        for point in drawn.points:
            if point["threads"] == 1:
                for count in counts:
                    yield level(point["tier"], f"{word}, {length(point)}", count, gain(count) * point.middle(value))

    caption = lambda drawn: f"{text}{grown(drawn.points, value)}"  # noqa: E731
    marks = (Mark(measured(value), label, TIER, length),)
    return Recipe(name, AT_FULL_SPEED, THREADS, of_scale, marks, caption, references=ideal, also=also)


def _balance(drawn: Drawn) -> str:
    worst = max(point.middle(deviation) for point in of_scale(drawn.source))
    return (
        f"Comparisons per second of a thread with windows of {length(drawn.points[0])}, and the standard deviation "
        "between threads of the pairs that they have looked at. The paper: 100 million on one thread, 80 million on "
        "each of 48, a deviation of up to 4 %, on its second machine up to 10 %. "
        f"Here a deviation of up to {worst:.2g} % with any window."
    )


def _quantile(name: str) -> Mark:
    return Mark(
        measured(lambda run: run["latency"][name] if run["latency"] else None),
        "latency",
        lambda point: f"{point['tier']} {name}",
        length,
        lambda point: f"{point['tier']}, {name}",
        log=True,
        unit=seconds,
    )


def _latency(drawn: Drawn) -> str:
    highest = max(each["y"] for each in drawn.rows)
    return (
        "Latency of matches, from when the later tuple was due, in an open loop through a gate, until the match left "
        f"in order, at {100 * drawn.source['parameters']['load']:g} % of the sustainable rate. The paper, at the full "
        "rate: up to 70 ms, and more with more threads. "
        f"Here a p99 of up to {seconds(float(f'{highest:.2g}'))}."
    )


def _gates(drawn: Drawn) -> str:
    best = max(drawn.rows, key=lambda each: float(each["y"]))
    return (
        "Tuples per second that are added to a gate by as many threads as there are sources, and read by each of the "
        "readers, a thread each. The paper: more with more sources, not less with more readers, up to 150,000 on its "
        f"second machine. Here up to {best['y'] * 1e-6:.3g} million, of the gate {best['panel']}, {best['sources']} "
        f"in and {best['readers']} out."
    )


COMPARISONS = (
    "Comparisons per second: pairs in one window, whatever a tier looks at. Grey: n times one thread's. The paper: "
    "they grow linearly, to some 4 billion on 48 threads, 0.1 billion on one; on its second machine to some 1.4 "
    "billion on 16 cores, and by half a billion more by hyper-threads."
)
TUPLES = (
    "Tuples per second of each side that are sustained, windows full. Grey: the root of n times one thread's. The "
    "paper: they grow with the root, to some 5,100, 3,500 and 3,000 with windows of 5, 10 and 15 minutes on 48 "
    "threads; on its second machine 3,000, 2,100 and 1,750."
)
BESIDE_HANDSHAKE = (
    "Comparisons per second of ScaleJoin's tier scan and of the low-latency handshake join, both over lists. The "
    "paper's is in C, and ScaleJoin in Java; here both are Cython. Both are measured from full windows on."
)
DIFFERENCE = (
    "What ScaleJoin's tier scan compares more in a second than the handshake join, repeat by repeat. The paper: more "
    "with every thread, 2.5 billion on 48 of its first machine, almost 1 billion on its second."
)
A_THREAD = (
    Mark(measured(each_thread), "comparisons/s", "average", TIER, "a thread's average", log=True),
    Mark(measured(deviation), "standard deviation, % of mean", "deviation", TIER, "between threads"),
)
BESIDE = Mark(measured(comparisons), "comparisons/s", length, itemgetter("join"), lambda at: f"window of {length(at)}")
MORE = Mark(more_than_beside, "comparisons/s", "difference", length, "scale less handshake")
THROUGH = Mark(measured(lambda run: float(run["tuples_per_second"])), "tuples/s", TIER, readers, log=True)
QUANTILES = (_quantile("p50"), _quantile("p99"))
SECOND = "; it stands for {}, too".format
IN_ORDER = "the order that every reader found was checked"
FIGURES = (
    _over_threads("5a", SECOND("5d"), comparisons, "comparisons/s", COMPARISONS, "n Cmax", float),
    _over_threads("5b", SECOND("5e"), sustained, "tuples/s", TUPLES, "\N{SQUARE ROOT}n Tmax", math.sqrt),
    Recipe("5c", AT_FULL_SPEED, THREADS, of_longest_window, A_THREAD, _balance, also=SECOND("5f")),
    Recipe("6a", BOTH, THREADS, each_of_both, (BESIDE,), BESIDE_HANDSHAKE, (SCALE, HANDSHAKE), also=SECOND("6b")),
    Recipe("6c", BOTH, THREADS, of_both, (MORE,), DIFFERENCE),
    Recipe("7a", "runs of gates by themselves", SOURCES, of_gates, (THROUGH,), _gates, checked=IN_ORDER),
    Recipe(
        "7b", "runs at a rate", THREADS, at_a_rate, (_quantile("p50"), _quantile("p99")), _latency, also=SECOND("7c")
    ),
    *STUDIES,
)
PAPER = Paper(
    "001",
    KIND,
    FIGURES,
    CHECKED,
    lambda document: wrong(rows(document["runs"])),
    lambda document: "The paper has two machines, here is one.",
)
CHARTS, caption = PAPER.recipes, PAPER.caption
