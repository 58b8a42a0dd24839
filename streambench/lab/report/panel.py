"""A small chart of lines for the page: one pair of axes, readable on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streambench.lab.figures.lines import bars, frame, look, plain
from streambench.lab.figures.raw_points import Distances, scatter
from streambench.lab.record.statistics import Interval
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.section import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT, LEGEND_LINE = 4.7, 3.0, 0.2  # inches
COLUMNS = 3  # of the legend, at most
LETTERS = 66  # of all columns' names
MOST_TOLD = 60  # points that the words for those who cannot see it name
DODGE = 0.06


@dataclass(frozen=True)
class Mark:
    """A median with the ends of its interval, None where there is none, and the single runs."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    runs: tuple[float, ...] = ()

    @classmethod
    def of(cls, x: float, interval: Interval, runs: tuple[float, ...] = ()) -> Mark:
        """Of a median; the ends only where they are those of an interval."""
        low, high = (None, None) if interval.coverage is None else (interval.low, interval.high)
        return cls(x, interval.median, low, high, runs)


@dataclass(frozen=True)
class Line:
    """``number``: which of the page's lines it looks like. ``alone``: marks beside the line, hollow, not joined."""

    name: str
    number: int
    marks: Sequence[Mark]
    alone: Sequence[Mark] = ()


@dataclass(frozen=True)
class Panel:
    """``ticks``: where on the x axis, and in what words; left out, matplotlib chooses. ``level``: a line across, at 1
    for ratios. ``dodged``: lines are set side by side, so that points of one x do not hide each other."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    ticks: Sequence[tuple[float, str]] | None = None
    log: bool = False
    unit: Callable[[float], str] = plain
    x_unit: Callable[[float], str] = plain
    level: float | None = None
    dodged: bool = False


def draw(panel: Panel) -> Figure:
    """The chart, its legend above it."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    longest = max((len(line.name) for line in panel.lines), default=0)
    columns = min(COLUMNS, max(1, LETTERS // max(1, longest)))
    legend = LEGEND_LINE * -(-len(panel.lines) // columns)
    height = HEIGHT + legend
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots()
    for place, line in enumerate(panel.lines):
        shift = DODGE * (place - (len(panel.lines) - 1) / 2) if panel.dodged else 0.0
        _line(axes, line, shift)
    frame(axes)
    axes.set_title(panel.title, fontsize=10, loc="left")
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    if panel.log:
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 1e3 else (1,)))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: panel.unit(value)))
    if panel.ticks is None:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: panel.x_unit(value)))
        axes.set_xlim(left=0)
    else:
        places, names = zip(*panel.ticks, strict=True)
        axes.set_xticks(places, names)
        axes.set_xlim(min(places) - 0.4, max(places) + 0.4)
    if panel.level is not None:
        axes.axhline(panel.level, color="0.45", linewidth=1, zorder=1)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper left", bbox_to_anchor=(0.02, 1.0), ncols=columns, frameon=False, fontsize=8,
        handlelength=2.6, columnspacing=1.4, borderaxespad=0.1,
    )  # fmt: skip
    figure.subplots_adjust(left=0.16, right=0.98, top=1 - (legend + 0.3) / height, bottom=0.5 / height)
    return figure


def pictures(drawing: Drawing, panels: Iterable[Panel]) -> list[Picture]:
    """Those that there is something in."""
    filled = [panel for panel in panels if any(line.marks or line.alone for line in panel.lines)]
    return [Picture(drawing.svg(draw(panel), described(panel))) for panel in filled]


def described(panel: Panel) -> str:
    """What the chart shows, in words."""
    names = dict(panel.ticks or ())
    parts = [f"{panel.title}: {panel.y_label} over {panel.x_label}."]
    left = MOST_TOLD
    for line in panel.lines:
        marks = [*line.alone, *line.marks][:left]
        left -= len(marks)
        points = ", ".join(
            f"{names.get(each.x) or panel.x_unit(each.x)}: {panel.unit(_short(each.y))}" for each in marks
        )
        parts += [f"{line.name}: {points}."] if marks else []
    return " ".join(parts)


def _line(axes: Axes, line: Line, shift: float) -> None:
    style = look(line.number)
    for marks, more in (
        (line.marks, {"label": line.name}),
        (line.alone, {"markerfacecolor": "white", "linestyle": ""}),
    ):
        rows = [{"y": each.y, "y_low": each.low, "y_high": each.high} for each in marks]
        bars(axes, [each.x + shift for each in marks], rows, "y", {**style, **more})
        for each in marks:
            scatter(axes, each.x + shift, each.runs, None, style["color"], Distances.none())


def _short(value: float) -> float:
    """To three digits, which is what can be seen."""
    return float(f"{value:.3g}")
