"""A figure of the paper: which points of a sweep it shows, and how it is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streambench.lab.figures.chart import Chart, Row, row
from streambench.lab.figures.selection import Measure, Point, Selection


@dataclass(frozen=True)
class PaperFigure:
    """``name``: its number in the paper. ``needs``: what a document must hold for it, in words."""

    name: str
    needs: str
    select: Callable[[Selection], Selection]
    chart: Callable[[Selection], Chart]


def sweep_for(name: str, *, simulated: bool = False) -> str:
    """The sweep that measures or simulates a figure (8a and 8b belong to one)."""
    return (
        f"`streambench bench sweep {'--simulated ' if simulated else ''}--preset paper --figures {name.rstrip('ab')}`"
    )


def measured(panel: str, line: str, x: float | str | None, measure: Measure, point: Point) -> list[Row]:
    """The row of a point, or none where the measure has no value."""
    found = point.series(measure)
    return [row(panel, line, x, found, point)] if found else []


def speed_up(selection: Selection, panel: str, line: str, point: Point) -> list[Row]:
    """The row of a point's speed-up at its workers, or none without a serial run to compare with."""
    found = selection.speed_up(point)
    return [row(panel, line, point["workers"], found, point)] if found else []


def each_of(points: Sequence[Point], names: Sequence[str], field: str) -> list[str]:
    """Those of ``names`` that some point has as its ``field``."""
    return [name for name in names if any(point[field] == name for point in points)]


def in_words(numbers: Sequence[int]) -> str:
    """``1, 2 and 4``."""
    *before, last = map(str, numbers)
    return f"{', '.join(before)} and {last}" if before else last
