"""Paper 002's figures 1, 2, 9 and 10: where the time of a design goes, how long queues are, what is delegated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streambench.lab.figures.chart import LOG, Chart, Panel
from streambench.lab.figures.lines import SIMULATED
from streambench.lab.figures.topk_points import Run, TopkFigure, TopkPoint, at, each_of, points, row, span
from streambench.lab.figures.topk_speed import COOPERATIVE, SHARED, STREAMS, TUNED, skewed
from streambench.lab.record.topk_summary import is_simulated, shares

INDEPENDENT = "independent"
QUEUE, MERGE = "queue", "merge"
SYNCHRONISATION = ("element_synchronisation", "bucket_synchronisation")
AVERAGE, LARGEST, DELEGATED = "average queue", "largest queue", "delegated share"


def share(*operations: str) -> Callable[[Run], float]:
    """What part of all time these operations take together, in per cent."""
    return lambda run: sum(shares(run["profile"]).get(each, 0.0) for each in operations)


def statistic(name: str, factor: float = 1.0) -> Callable[[Run], float]:
    return lambda run: factor * float(run["statistics"][name])


def delegated(run: Run) -> float:
    """Per cent of all requests."""
    return statistic(DELEGATED, 100)(run)


def _profiled(document: Mapping[str, Any], design: str) -> list[TopkPoint]:
    """The paper has the auto-tuned one at all α, the others from 1.5 up."""
    shown = skewed if design != TUNED else lambda alpha: True
    return points(document, design, instrumented=True, shown=shown)


def _simulated(document: Mapping[str, Any], design: str) -> list[TopkPoint]:
    """The same on simulated cores; one has no queue. Older runs counted what came before the streams in."""
    shown = skewed if design != TUNED else lambda alpha: True
    found = points(document, design, simulated=True, shown=shown)
    return [each for each in found if each.threads > 1 and all("before" in run for run in each.runs)]


def _with_simulated(found: Sequence[TopkPoint], simulated: Sequence[TopkPoint]) -> list[str]:
    """The lines: of what was measured, and of what was simulated, which look like the measured ones of the same α."""
    alphas = dict.fromkeys([*each_of(found, "alpha"), *each_of(simulated, "alpha")])
    return [*map(at, alphas), *(at(alpha) + SIMULATED for alpha in each_of(simulated, "alpha"))]


def _line(point: TopkPoint) -> str:
    return at(point.alpha) + SIMULATED * is_simulated(point.runs[0])


def _profile(design: str, text: Callable[[Sequence[TopkPoint]], str]) -> Callable[[Mapping[str, Any]], Chart | None]:
    """Time by operation over streams: a panel for each α."""

    def chart(document: Mapping[str, Any]) -> Chart | None:
        found = _profiled(document, design)
        if not found:
            return None
        named = dict.fromkeys(name for each in found for name in each.runs[0]["profile"])
        operations = [name for name in named if any(max(each.values(share(name))) > 0 for each in found)]
        rows = [
            row(at(each.alpha), _words(name), each.threads, each, each.values(share(name)))
            for each in found
            for name in operations
        ]
        panels = {at(alpha): Panel(at(alpha), "% of all time") for alpha in each_of(found, "alpha")}
        return Chart(STREAMS, panels, rows, list(map(_words, operations)), text(found), LOG)

    return chart


def _words(operation: str) -> str:
    return operation.replace("_", " ")


def _of(found: Sequence[TopkPoint], *operations: str) -> str:
    return f"{span([each.middle(share(*operations)) for each in found])} %"


def _independent(found: Sequence[TopkPoint]) -> str:
    least, most = min(each.threads for each in found), max(each.threads for each in found)
    every = found[0].runs[0]["query_every"]
    few, many = ([each for each in found if each.threads == count] for count in (least, most))
    return (
        "Where the time of independent structures goes, merged hierarchically to answer a query every "
        f"{every:,} items. The paper: with more threads merging makes the design inefficient. "
        f"Here merging takes {_of(few, MERGE)} with {least} streams, {_of(many, MERGE)} with {most}."
    )


def _shared(found: Sequence[TopkPoint]) -> str:
    return (
        "Where the time of the shared design goes. The paper: most of it to waiting for an element or a bucket. "
        f"Here {_of(found, *SYNCHRONISATION)}."
    )


def _cooperative(found: Sequence[TopkPoint]) -> str:
    least, most = (limit(each.alpha for each in found) for limit in (min, max))
    even, uneven = ([each for each in found if each.alpha == alpha] for alpha in (least, most))
    tuned = "with auto-tuning" if found[0].design == TUNED else "without auto-tuning"
    return (
        f"Where the time of cooperation goes, {tuned}. The paper: very little to synchronisation of elements and "
        f"buckets, much to queues, more at smaller α. Here {_of(found, *SYNCHRONISATION)} to synchronisation; to "
        f"queues {_of(even, QUEUE)} at {at(least)}, {_of(uneven, QUEUE)} at {at(most)}."
    )


def _queues(design: str) -> Callable[[Mapping[str, Any]], Chart | None]:
    claim = {
        COOPERATIVE: "The paper, at α from 1.5 up: tens on the average, hundreds at most, most of them at α 1.5.",
        TUNED: "The paper: auto-tuning keeps them short at α 0.5 and 1, too, where a thread holds back at 500.",
    }[design]

    def chart(document: Mapping[str, Any]) -> Chart | None:
        found = _profiled(document, design)
        if not found:
            return None
        simulated = _simulated(document, design)
        rows = [
            row(name, _line(each), each.threads, each, each.values(statistic(name)))
            for each in (*found, *simulated)
            for name in (AVERAGE, LARGEST)
        ]
        log = all(value > 0 for each in rows for value in each["values"])
        panels = {name: Panel(name, "requests", log=log) for name in (AVERAGE, LARGEST)}
        text = (
            "Requests in a bucket's queue, looked at from time to time: their average, and the most that were seen. "
            f"{claim} Here {span([each.middle(statistic(AVERAGE)) for each in found])} on the average, up to "
            f"{max(each.middle(statistic(LARGEST)) for each in found):.0f}."
        )
        if simulated:
            text += (
                f" Simulated, not measured: {span([each.middle(statistic(AVERAGE)) for each in simulated])} on the "
                f"average, up to {max(each.middle(statistic(LARGEST)) for each in simulated):.0f}, {_size(simulated)}."
            )
        return Chart(STREAMS, panels, rows, _with_simulated(found, simulated), text, LOG)

    return chart


def _delegated(design: str) -> Callable[[Mapping[str, Any]], Chart | None]:
    def chart(document: Mapping[str, Any]) -> Chart | None:
        found = _profiled(document, design)
        if not found:
            return None
        simulated = _simulated(document, design)
        rows = [
            row("delegated", _line(each), each.threads, each, each.values(delegated)) for each in (*found, *simulated)
        ]
        told = "; ".join(
            f"{at(alpha)} {span([each.middle(delegated) for each in found if each.alpha == alpha])} %"
            for alpha in each_of(found, "alpha")
        )
        text = (
            "Requests that are delegated in the hash table, as another thread has the element. The paper: more with "
            f"more threads, and with more skew. Here {told}."
        )
        if simulated:
            share = span([each.middle(delegated) for each in simulated])
            text += f" Simulated, not measured: {share} %, {_size(simulated)}."
        panels = {"delegated": Panel("delegated in the hash table", "% of all requests")}
        return Chart(STREAMS, panels, rows, _with_simulated(found, simulated), text, LOG)

    return chart


def _size(simulated: Sequence[TopkPoint]) -> str:
    """Streams are shorter there, and have no time to fill long queues."""
    items = sorted(each.runs[0]["items"] for each in simulated)
    streams = max(each.threads for each in simulated)
    told = f"{items[0]:,}" if items[0] == items[-1] else f"{items[0]:,} to {items[-1]:,}"
    return f"on up to {streams} cores, {told} items a stream"


def _needs(design: str) -> str:
    return f"profiles of the design {design}" + ("" if design == TUNED else " at α from 1.5 up")


FIGURES = (
    TopkFigure("1", _needs(INDEPENDENT), _profile(INDEPENDENT, _independent)),
    TopkFigure("2", _needs(SHARED), _profile(SHARED, _shared)),
    TopkFigure("9a", _needs(COOPERATIVE), _profile(COOPERATIVE, _cooperative)),
    TopkFigure("9b", _needs(COOPERATIVE), _queues(COOPERATIVE)),
    TopkFigure("9c", _needs(COOPERATIVE), _delegated(COOPERATIVE)),
    TopkFigure("10a", _needs(TUNED), _profile(TUNED, _cooperative)),
    TopkFigure("10b", _needs(TUNED), _queues(TUNED)),
    TopkFigure("10c", _needs(TUNED), _delegated(TUNED)),
)
