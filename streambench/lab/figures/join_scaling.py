"""Paper 001's figures 5, 6 and 7: comparisons, tuples, balance and latency over processing threads; gates.

The paper has two machines, S1 and S2; here is one, so that figures 5a to 5c stand for 5d to 5f, too, 6a for 6b,
7b for 7c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from streambench.lab.figures.chart import LOG, Chart, Panel, Row
from streambench.lab.figures.join_points import JoinPoint, Run, each_of, ideal, points, row
from streambench.lab.figures.lines import seconds
from streambench.lab.record.join_summary import GATE

SCALE, HANDSHAKE = "scale", "handshake"
THREADS = "processing threads"


@dataclass(frozen=True)
class JoinFigure:
    """``name``: its number in the paper; ``needs``: what a document must hold for it, in words."""

    name: str
    needs: str
    chart: Callable[[Mapping[str, Any]], Chart | None]


def comparisons(run: Run) -> float:
    return float(run["comparisons_per_second"])


def sustained(run: Run) -> float:
    """Tuples per second of each side; what was faster than the window's rate would have had a larger window."""
    return float(min(run["tuples_per_second"], run["sustainable_rate"]))


def by_thread(run: Run) -> float:
    return comparisons(run) / int(run["threads"])


def deviation(run: Run) -> float:
    return float(run["per_thread_deviation"])


def middle(point: JoinPoint, value: Callable[[Run], float]) -> float:
    return median(value(run) for run in point.runs)


def length(point: JoinPoint) -> str:
    """The window in words: a line's name."""
    return f"{point.window / 60:g} min" if point.window >= 60 else f"{point.window:g} s"


def grown(found: Sequence[JoinPoint], value: Callable[[Run], float]) -> str:
    """What was measured: by tier, how much more of it its most threads had than its fewest, over the windows."""
    told = []
    for tier in each_of(found, "tier"):
        own = [point for point in found if point.tier == tier]
        few, many = (pick(point.threads for point in own) for pick in (min, max))
        ratios = [
            middle(last, value) / middle(first, value)
            for first in own
            for last in own
            if first.threads == few < many == last.threads and first.window == last.window
        ]
        if ratios:
            told.append(f"{tier} {fmean(ratios):.2f} times from {few} to {many}")
    return f" Here {', '.join(told)} threads." if told else ""


def _over_threads(
    found: Sequence[JoinPoint],
    value: Callable[[Run], float],
    label: str,
    text: str,
    bound: Callable[[int], float] | None = None,
    word: str = "",
) -> Chart | None:
    """A panel for each tier, a line for each window; ``bound``: how much an ideal join gains from so many threads."""
    if not found:
        return None
    rows: list[Row] = []
    for point in found:
        rows += row(point.tier, length(point), point.threads, point, value)
        if bound is not None and point.threads == 1:
            for threads in sorted({each.threads for each in found}):
                rows.append(
                    ideal(point.tier, f"{word}, {length(point)}", threads, bound(threads) * middle(point, value))
                )
    panels = {tier: Panel(tier, label) for tier in each_of(found, "tier")}
    return Chart(THREADS, panels, rows, _lengths(found), text)


def _lengths(found: Sequence[JoinPoint]) -> list[str]:
    """The lines: windows."""
    return list(dict.fromkeys(map(length, found)))


def _of_scale(document: Mapping[str, Any], measure: str = "throughput") -> list[JoinPoint]:
    return [point for point in points(document, measure) if point.join == SCALE]


def _comparisons(document: Mapping[str, Any]) -> Chart | None:
    found = _of_scale(document)
    text = (
        "Comparisons per second: pairs in one window, whatever a tier looks at. Grey: n times one thread's. The "
        "paper: they grow linearly, to some 4 billion on 48 threads, 0.1 billion on one; on its second machine to some "
        f"1.4 billion on 16 cores, and by half a billion more by hyper-threads.{grown(found, comparisons)}"
    )
    return _over_threads(found, comparisons, "comparisons/s", text, float, "n Cmax")


def _tuples(document: Mapping[str, Any]) -> Chart | None:
    found = _of_scale(document)
    text = (
        "Tuples per second of each side that are sustained, windows full. Grey: the root of n times one thread's. The "
        "paper: they grow with the root, to some 5,100, 3,500 and 3,000 with windows of 5, 10 and 15 minutes on 48 "
        f"threads; on its second machine 3,000, 2,100 and 1,750.{grown(found, sustained)}"
    )
    return _over_threads(found, sustained, "tuples/s", text, math.sqrt, "\N{SQUARE ROOT}n Tmax")


def _balance(document: Mapping[str, Any]) -> Chart | None:
    found = _of_scale(document)
    if not found:
        return None
    longest = max(point.window for point in found)
    shown = [point for point in found if point.window == longest]
    rows: list[Row] = []
    for point in shown:
        rows += row("average", point.tier, point.threads, point, by_thread)
        rows += row("deviation", point.tier, point.threads, point, deviation)
    panels = {
        "average": Panel("a thread's average", "comparisons/s", log=True),
        "deviation": Panel("between threads", "standard deviation, % of mean"),
    }
    worst = max(middle(point, deviation) for point in found)
    text = (
        f"Comparisons per second of a thread with windows of {length(shown[0])}, and the standard deviation between "
        "threads of the pairs that they have looked at. The paper: 100 million on one thread, 80 million on each of "
        "48, a deviation of up to 4 %, on its second machine up to 10 %. "
        f"Here a deviation of up to {worst:.2g} % with any window."
    )
    return Chart(THREADS, panels, rows, each_of(found, "tier"), text)


def _latency(document: Mapping[str, Any]) -> Chart | None:
    found = _of_scale(document, "latency")
    if not found:
        return None
    rows: list[Row] = []
    panels = {}
    for quantile in ("p50", "p99"):
        for tier in each_of(found, "tier"):
            panels[f"{tier} {quantile}"] = Panel(f"{tier}, {quantile}", "latency", log=True, unit=seconds)
    for point in found:
        for quantile in ("p50", "p99"):
            rows += row(f"{point.tier} {quantile}", length(point), point.threads, point, _quantile(quantile))
    if not rows:
        return None
    highest = max(each["y"] for each in rows)
    load = document["parameters"]["load"]
    text = (
        "Latency of matches, from when the later tuple was due, in an open loop through a gate, until the match left "
        f"in order, at {100 * load:g} % of the sustainable rate. The paper, at the full rate: up to 70 ms, and more "
        f"with more threads. Here a p99 of up to {seconds(float(f'{highest:.2g}'))}."
    )
    return Chart(THREADS, panels, rows, _lengths(found), text)


def _quantile(name: str) -> Callable[[Run], float | None]:
    return lambda run: run["latency"][name] if run["latency"] else None


def _gates(document: Mapping[str, Any]) -> Chart | None:
    found = points(document, GATE)
    if not found:
        return None
    rows: list[Row] = []
    for point in found:
        rows += row(point.tier, _readers(point.runs[0]["readers"]), point.runs[0]["sources"], point, tuples)
    best = max(rows, key=lambda each: float(each["y"]))
    text = (
        "Tuples per second that are added to a gate by as many threads as there are sources, and read by each of the "
        "readers, a thread each. The paper: more with more sources, not less with more readers, up to 150,000 on its "
        f"second machine. Here up to {best['y'] * 1e-6:.3g} million, of the gate {best['panel']}, {best['sources']} "
        f"in and {best['readers']} out."
    )
    panels = {kind: Panel(kind, "tuples/s", log=True) for kind in each_of(found, "tier")}
    lines = [_readers(count) for count in sorted({point.runs[0]["readers"] for point in found})]
    return Chart("sources", panels, rows, lines, text, LOG)


def tuples(run: Run) -> float:
    return float(run["tuples_per_second"])


def _readers(count: int) -> str:
    return f"{count} reader{'s' * (count > 1)}"


def _with_handshake(document: Mapping[str, Any]) -> Chart | None:
    both = _pairs(document)
    if not both:
        return None
    rows: list[Row] = []
    for pair in both:
        for point in pair:
            rows += row(length(point), point.join, point.threads, point, comparisons)
    panels = {length(ours): Panel(f"window of {length(ours)}", "comparisons/s") for ours, _ in both}
    text = (
        "Comparisons per second of ScaleJoin's tier scan and of the low-latency handshake join, both over lists. The "
        "paper's is in C, and ScaleJoin in Java; here both are Cython. Both are measured from full windows on."
    )
    return Chart(THREADS, panels, rows, [SCALE, HANDSHAKE], text)


def _difference(document: Mapping[str, Any]) -> Chart | None:
    both = _pairs(document)
    if not both:
        return None
    rows: list[Row] = []
    for ours, theirs in both:
        rows += row("difference", length(ours), ours.threads, ours, _more_than(theirs))
    panels = {"difference": Panel("scale less handshake", "comparisons/s")}
    text = (
        "What ScaleJoin's tier scan compares more in a second than the handshake join, repeat by repeat. The paper: "
        "more with every thread, 2.5 billion on 48 of its first machine, almost 1 billion on its second."
    )
    return Chart(THREADS, panels, rows, _lengths([ours for ours, _ in both]), text)


def _more_than(theirs: JoinPoint) -> Callable[[Run], float | None]:
    other = {run["repeat"]: comparisons(run) for run in theirs.runs}
    return lambda run: comparisons(run) - other[run["repeat"]]


def _pairs(document: Mapping[str, Any]) -> list[tuple[JoinPoint, JoinPoint]]:
    """ScaleJoin as published and the handshake join, where both had as many threads, with one window."""
    found = [point for point in points(document, "throughput") if point.tier == "scan"]
    return [
        (ours, theirs)
        for ours in found
        for theirs in found
        if (ours.join, theirs.join) == (SCALE, HANDSHAKE)
        and (ours.threads, ours.window, len(ours.runs)) == (theirs.threads, theirs.window, len(theirs.runs))
    ]


AT_FULL_SPEED, BOTH = "runs at full speed", "runs of both the joins scale and handshake"
FIGURES = (
    JoinFigure("5a", AT_FULL_SPEED, _comparisons),
    JoinFigure("5b", AT_FULL_SPEED, _tuples),
    JoinFigure("5c", AT_FULL_SPEED, _balance),
    JoinFigure("6a", BOTH, _with_handshake),
    JoinFigure("6c", BOTH, _difference),
    JoinFigure("7a", "runs of gates by themselves", _gates),
    JoinFigure("7b", "runs at a rate", _latency),
)
