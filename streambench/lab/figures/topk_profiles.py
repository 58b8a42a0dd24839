"""Paper 002's figures 1, 2, 9 and 10: where the time of a design goes, how long queues are, what is delegated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streambench.lab.figures.chart import LOG, Chart, Panel
from streambench.lab.figures.topk_points import Run, TopkFigure, TopkPoint, at, each_of, points, row, span
from streambench.lab.figures.topk_speed import COOPERATIVE, SHARED, STREAMS, TUNED, skewed
from streambench.lab.record.topk_summary import shares

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
        rows = [
            row(name, at(each.alpha), each.threads, each, each.values(statistic(name)))
            for each in found
            for name in (AVERAGE, LARGEST)
        ]
        log = all(value > 0 for each in rows for value in each["values"])
        panels = {name: Panel(name, "requests", log=log) for name in (AVERAGE, LARGEST)}
        text = (
            "Requests in a bucket's queue, looked at from time to time: their average, and the most that were seen. "
            f"{claim} Here {span([each.middle(statistic(AVERAGE)) for each in found])} on the average, up to "
            f"{max(each.middle(statistic(LARGEST)) for each in found):.0f}."
        )
        return Chart(STREAMS, panels, rows, list(map(at, each_of(found, "alpha"))), text, LOG)

    return chart


def _delegated(design: str) -> Callable[[Mapping[str, Any]], Chart | None]:
    def chart(document: Mapping[str, Any]) -> Chart | None:
        found = _profiled(document, design)
        if not found:
            return None
        rows = [row("delegated", at(each.alpha), each.threads, each, each.values(delegated)) for each in found]
        told = "; ".join(
            f"{at(alpha)} {span([each.middle(delegated) for each in found if each.alpha == alpha])} %"
            for alpha in each_of(found, "alpha")
        )
        text = (
            "Requests that are delegated in the hash table, as another thread has the element. The paper: more with "
            f"more threads, and with more skew. Here {told}."
        )
        panels = {"delegated": Panel("delegated in the hash table", "% of all requests")}
        return Chart(STREAMS, panels, rows, list(map(at, each_of(found, "alpha"))), text, LOG)

    return chart


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
