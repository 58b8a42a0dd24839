"""Paper 002's figures 5 to 8, how long designs take and how many times as fast one is, and one of all designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from streambench.lab.figures.chart import LOG, Chart, Panel, Row
from streambench.lab.figures.lines import seconds as in_seconds
from streambench.lab.figures.topk_points import Run, TopkFigure, TopkPoint, at, each_of, pairs, points, row, span

COOPERATIVE, SHARED, TUNED = "cooperative", "shared", "auto-tuned"
STREAMS = "streams, a thread each"
IN_FIGURE_8 = (0.5, 1.0, 1.5, 2.5)


def skewed(alpha: float) -> bool:
    return alpha >= 1.5


def seconds(run: Run) -> float:
    return float(run["seconds"])


def updates(run: Run) -> float:
    return float(run["updates_per_second"])


def ratios(above: TopkPoint, below: TopkPoint) -> list[float]:
    """How many times as long the first takes, repeat by repeat."""
    return [seconds(a) / seconds(b) for a, b in zip(above.runs, below.runs, strict=True)]


def _saturated(document: Mapping[str, Any], *designs: str) -> list[TopkPoint]:
    return [point for point in points(document, *designs) if point.failing == 0]


def _times(found: Sequence[TopkPoint], lines: Sequence[str], text: str) -> Chart | None:
    """Execution time over streams: a panel for each α, a line for each design."""
    if {point.design for point in found} != set(lines):
        return None
    rows = [row(at(each.alpha), each.design, each.threads, each, each.values(seconds)) for each in found]
    panels = {at(alpha): Panel(at(alpha), "execution time", unit=in_seconds) for alpha in each_of(found, "alpha")}
    return Chart(STREAMS, panels, rows, lines, text, LOG)


def _execution_time(document: Mapping[str, Any]) -> Chart | None:
    found = [point for point in _saturated(document, COOPERATIVE, SHARED) if skewed(point.alpha)]
    text = (
        "Execution time, each stream as long as the others, a thread for each. The paper: cooperation takes less time, "
        f"and with more streams it takes longer by less than the shared design.{_grown(found)}"
    )
    return _times(found, (COOPERATIVE, SHARED), text)


def _grown(found: Sequence[TopkPoint]) -> str:
    """By how much time grows from the fewest streams to the most, over all α."""
    if not found:
        return ""
    least, most = min(point.threads for point in found), max(point.threads for point in found)
    told = []
    for design in (COOPERATIVE, SHARED):
        few, many = (
            {each.alpha: each for each in found if (each.design, each.threads) == (design, n)} for n in (least, most)
        )
        by = [many[alpha].middle(seconds) / few[alpha].middle(seconds) for alpha in few.keys() & many.keys()]
        if by and least < most:
            told.append(f"{design} {span(by)} times as long")
    return f" Here, with {most} streams against {least}: {', '.join(told)}." if told else ""


def _speed_up(document: Mapping[str, Any]) -> Chart | None:
    found = pairs([point for point in _saturated(document) if skewed(point.alpha)], COOPERATIVE, SHARED)
    if not found:
        return None
    rows = [
        row("speed-up", f"{ours.threads} streams", ours.alpha, ours, ratios(theirs, ours)) for ours, theirs in found
    ]
    text = (
        "How many times as fast as the shared design cooperation is: execution times, divided repeat by repeat. The "
        f"paper: 2 to 5.5 times, on 4 cores. Here {span([each['y'] for each in rows])} times."
    )
    lines = list(dict.fromkeys(each["line"] for each in sorted(rows, key=lambda each: int(each["threads"]))))
    return Chart("α of Zipf's law", {"speed-up": Panel("cooperative against shared", "speed-up")}, rows, lines, text)


def _unsaturated(document: Mapping[str, Any]) -> Chart | None:
    found = [point for point in points(document, COOPERATIVE, SHARED) if skewed(point.alpha)]
    failing = [point for point in found if point.failing > 0]
    if {point.design for point in failing} != {COOPERATIVE, SHARED}:
        return None
    rows: list[Row] = []
    panels: dict[str, Panel] = {}
    for point in failing:
        name = f"{at(point.alpha)}, {100 * point.failing:g} % fail"
        panels[name] = Panel(name, "execution time", unit=in_seconds)
        rows.append(row(name, point.design, point.threads, point, point.values(seconds)))
    text = (
        "Execution time where a read finds no item with some probability, and is tried again. The paper: the more "
        "reads fail the closer the two designs are; cooperation takes longer, the shared design hardly, as it is "
        f"relieved.{_slower(found)}"
    )
    return Chart(STREAMS, panels, rows, (COOPERATIVE, SHARED), text, LOG)


def _slower(found: Sequence[TopkPoint]) -> str:
    """What the greatest probability makes of execution times."""
    most = max(point.failing for point in found)
    told = []
    for design in (COOPERATIVE, SHARED):
        own = {(each.threads, each.alpha, each.failing): each for each in found if each.design == design}
        by = [
            each.middle(seconds) / own[threads, alpha, 0.0].middle(seconds)
            for (threads, alpha, failing), each in own.items()
            if failing == most and (threads, alpha, 0.0) in own
        ]
        if by:
            told.append(f"{design} takes {span(by)} times as long")
    return f" Here, where {100 * most:g} % fail: {', '.join(told)}." if told else ""


def _tuned(document: Mapping[str, Any]) -> Chart | None:
    found = [point for point in _saturated(document, TUNED, SHARED) if point.alpha in IN_FIGURE_8]
    text = (
        "Execution time of cooperation with auto-tuning, and of the shared design. The paper: about twice as fast at "
        f"α up to 1; what auto-tuning costs at higher α is about 5 % at most.{_gained(document)}"
    )
    return _times(found, (TUNED, SHARED), text)


def _gained(document: Mapping[str, Any]) -> str:
    """What auto-tuning gains where there is little skew, and what it costs where there is much."""
    found = _saturated(document)
    even = [ratios(theirs, ours) for ours, theirs in pairs(found, TUNED, SHARED) if ours.alpha <= 1]
    costs = [ratios(ours, theirs) for ours, theirs in pairs(found, TUNED, COOPERATIVE) if ours.alpha >= 2]
    told = []
    if even:
        told.append(f"{span([median(each) for each in even])} times as fast at α up to 1")
    if costs:
        told.append(f"a cost of {span([100 * (median(each) - 1) for each in costs])} % at α from 2 up")
    return f" Here {'; '.join(told)}." if told else ""


def _updates(document: Mapping[str, Any]) -> Chart | None:
    found = _saturated(document)
    if not found:
        return None
    rows = [row(str(each.threads), each.design, each.alpha, each, each.values(updates)) for each in found]
    best = max(rows, key=lambda each: float(each["y"]))
    panels = {
        str(threads): Panel(f"{threads} streams", "updates/s", log=True)
        for threads in sorted({each.threads for each in found})
    }
    every = {each.runs[0]["query_every"] for each in found} - {0}
    queried = f" Independent structures are merged every {max(every):,} items." if every else ""
    text = (
        f"Updates per second of all designs, a thread for each stream.{queried} The paper has no such figure. Here up "
        f"to {best['y'] * 1e-6:.3g} million, of {best['design']} at α {best['alpha']:g} with {best['threads']} streams."
    )
    return Chart("α of Zipf's law", panels, rows, each_of(found, "design"), text)


BOTH = "runs of both the designs cooperative and shared at α from 1.5 up"
FIGURES = (
    TopkFigure("5", BOTH, _execution_time),
    TopkFigure("6", BOTH, _speed_up),
    TopkFigure("7", f"{BOTH} where reads fail", _unsaturated),
    TopkFigure("8", "runs of both the designs auto-tuned and shared at α 0.5, 1, 1.5 or 2.5", _tuned),
    TopkFigure("updates", "runs", _updates),
)
