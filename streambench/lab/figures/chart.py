"""Charts of panels and lines: everything that is drawn is a row, and the rows are the CSV beside the figure.

A row has `panel`, `line`, `x`, the median `y`, `y_low` and `y_high` (None where too few repeats give no interval),
`repeats`, the `values` of all repeats with the cores' distances, and the configuration that was measured. A row whose
line is not one of the chart's lines is a reference, drawn in thin grey: over the whole panel where its `x` is None, and
in words where it lies far above all lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import put_under
from streambench.lab.figures.lines import MUTED, bars, frame, logarithmic, look_of, plain
from streambench.lab.figures.points import Point, Series
from streambench.lab.figures.raw_points import SCALE_HEIGHT, Distances, scatter, spaced
from streambench.lab.record.run import Row
from streambench.lab.record.statistics import summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


WIDTH, PANEL_HEIGHT, LEGEND_HEIGHT = 9.2, 2.75, 0.45  # inches
LEGEND_ROW = 0.19
LABEL_HEIGHT = 0.55  # of the x axis
COLUMNS = 3
DODGE = 0.04  # of the axis: lines of one x are set side by side, so that points do not hide each other
LOG_DODGE = 0.008  # less: between two logarithmic axes a line's height is read against its x
CLOSEST = 0.7  # of the distance between two values of x is taken by all lines together
MOST_LABELS = 9
LONG = 15  # characters of a line's name, of which fewer fit beside each other
EDGE = 0.99  # of a panel's width: where the single runs of a reference are
FAR = 2.0  # a reference above this many times all lines would flatten them
RAW = ("values", "core_round_trips_ns")
NUMBER, LOG, NAMES = "number", "log", "names"


@dataclass(frozen=True)
class Panel:
    """One pair of axes. ``unit``: how a value of y is written."""

    title: str
    y_label: str
    log: bool = False
    unit: Callable[[float], str] = plain


@dataclass(frozen=True)
class Chart:
    """A figure. ``lines``: all that may be in it, in their order, so that a line looks alike in every figure.

    ``x``: NUMBER, LOG, or NAMES (marks beside each other, not joined). ``text``: what the caption says of this figure.
    ``beside``: the field of a row that is written beside its mark.
    """

    x_label: str
    panels: Mapping[str, Panel]
    rows: Sequence[Row]
    lines: Sequence[str]
    text: str
    x: str = NUMBER
    x_unit: Callable[[float], str] = plain
    beside: str | None = None


def row(panel: str, line: str, x: float | str | None, y: Series, point: Point) -> Row | None:
    """The row of a point, or None without values; ``y``: its values by repeat."""
    if not y:
        return None
    distances = point.distances()
    raw = {RAW[0]: tuple(y.values()), RAW[1]: tuple(distances.get(repeat) for repeat in y)}
    return {"panel": panel, "line": line, "x": x, **median_with_ends(y.values()), **raw, **point.facts()}


def median_with_ends(values: Iterable[float]) -> Row:
    """The median, and the ends of its interval where there are enough values for one."""
    middle = summary(list(values))
    low, high = (middle.low, middle.high) if middle.coverage is not None else (None, None)
    return {"y": middle.median, "y_low": low, "y_high": high, "repeats": middle.n}


def for_csv(chart: Chart) -> list[Row]:
    """The rows in order, with the values of the repeats as numbers with spaces between them."""
    return [{**each, **{name: spaced(each[name]) for name in RAW}} for each in in_order(chart)]


def in_order(chart: Chart) -> list[Row]:
    """The rows by panel, line and x; references last, names as they came."""
    panels, lines = list(chart.panels), list(chart.lines)

    def key(each: Row) -> tuple[Any, ...]:
        line = lines.index(each["line"]) if each["line"] in lines else len(lines)
        number = each["x"] if isinstance(each["x"], int | float) else 0
        return panels.index(each["panel"]), line, number

    return sorted(chart.rows, key=key)


def picture(chart: Chart, caption: str) -> Figure:
    """The chart with its caption, as a matplotlib figure."""
    names = [name for name in chart.panels if any(each["panel"] == name for each in chart.rows)]
    columns = min(COLUMNS, len(names))
    distances = Distances.of([each[RAW[1]] for each in chart.rows])
    foot = LABEL_HEIGHT + 0.1 + (SCALE_HEIGHT if distances.grouped else 0)
    legend = LEGEND_HEIGHT + LEGEND_ROW * max(0, _legend_rows(chart) - 2)
    figure, grid, under = sheet(len(names), columns, PANEL_HEIGHT, caption, legend, foot)
    for place, name in enumerate(names):
        _panel(grid[place], chart, name, distances)
        if place + columns >= len(names):  # nothing below
            grid[place].set_xlabel(chart.x_label, fontsize=9)
        if place % columns == 0 or chart.panels[name].y_label != chart.panels[names[0]].y_label:
            grid[place].set_ylabel(chart.panels[name].y_label, fontsize=9)
    put_legend(figure, grid, chart.lines)
    distances.draw_scale(figure, (under + 0.12) / figure.get_figheight())
    return figure


def sheet(
    count: int, columns: int, panel_height: float, caption: str, top: float, foot: float, **more: Any
) -> tuple[Figure, list[Axes], float]:
    """A figure of so many panels with its caption under them, the panels, and the height of the caption.

    Heights in inches; ``top``: above the panels, ``foot``: between them and the caption; ``more``: for ``subplots``.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 1.0))
    under = put_under(figure, caption)
    lines = math.ceil(count / columns)
    height = top + lines * panel_height + foot + under
    figure.set_figheight(height)
    figure.texts[0].set_y(0.06 / height)
    grid = figure.subplots(lines, columns, squeeze=False, **more).ravel()
    for axes in grid[count:]:
        axes.set_axis_off()
    side = 0.16 if count == 1 else 0.0  # one panel is not stretched over the whole width
    figure.subplots_adjust(
        left=0.085 + side,
        right=0.985 - side,
        top=1 - (top + 0.25) / height,
        bottom=(foot + under) / height,
        wspace=0.32,
        hspace=0.3,
    )
    return figure, list(grid[:count]), under


def _panel(axes: Axes, chart: Chart, name: str, distances: Distances) -> None:
    panel = chart.panels[name]
    rows = [each for each in chart.rows if each["panel"] == name]
    measured = [each for each in rows if each["line"] in chart.lines]
    values = list(dict.fromkeys(each["x"] for each in chart.rows if each["x"] is not None))
    values = values if chart.x == NAMES else sorted(values)
    present = [line for line in chart.lines if any(each["line"] == line for each in chart.rows)]
    _across(axes, chart, values)
    for line in present:
        points = {each["x"]: each for each in measured if each["line"] == line}
        shift = present.index(line) - (len(present) - 1) / 2
        places = [_place(chart, values, value, shift, len(present)) for value in values]
        style = look_of(line, chart.lines)
        if chart.x == NAMES:
            style["linestyle"] = ""
        # None where there is no right run: the line breaks there.
        bars(axes, places, [points.get(value) for value in values], "y", {**style, "label": line})
        for at, value in zip(places, values, strict=True):
            if value in points:
                of_value = points[value]
                scatter(axes, at, of_value[RAW[0]], of_value[RAW[1]], style["color"], distances)
                if chart.beside:
                    _beside(axes, at, points[value]["y"], str(points[value][chart.beside]))
    frame(axes)
    _up(axes, panel, measured, rows)
    high = 0
    for line in dict.fromkeys(each["line"] for each in rows if each["line"] not in chart.lines):
        high += _reference(axes, panel, [each for each in rows if each["line"] == line], high)
    axes.set_title(panel.title, fontsize=10)


def _place(chart: Chart, values: Sequence[Any], value: Any, shift: float, lines: int) -> float:
    """Where on the axis a line's point at ``value`` is drawn: ``shift`` places beside it, of so many ``lines``."""
    if chart.x == NAMES:
        return float(values.index(value) + CLOSEST * shift / lines)
    scale = math.log if chart.x == LOG else float
    places = [scale(each) for each in values]
    gap = min((after - before for before, after in pairwise(places)), default=1.0)
    dodge = LOG_DODGE if chart.x == LOG else DODGE
    place = scale(value) + shift * min(dodge * (places[-1] - places[0] or 1.0), CLOSEST * gap / lines)
    return math.exp(place) if chart.x == LOG else place


def _across(axes: Axes, chart: Chart, values: Sequence[Any]) -> None:
    """The x axis: what was measured, and no other value, has a tick."""
    from matplotlib.ticker import NullLocator

    if chart.x == NAMES:
        axes.set_xticks(range(len(values)), [str(value).upper() for value in values])
        axes.set_xlim(-0.5, len(values) - 0.5)
        return
    if chart.x == LOG:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    scale = math.log if chart.x == LOG else float
    first, last = scale(values[0]), scale(values[-1])
    labels = []
    shown = math.inf
    for value in reversed(values):  # the largest is always told
        far = shown - scale(value) >= (last - first) / MOST_LABELS
        labels.append(chart.x_unit(value) if far else "")
        shown = scale(value) if far else shown
    axes.set_xticks(values, labels[::-1])
    pad = 0.14 * (last - first) or 0.5
    if chart.x == LOG:
        axes.set_xlim(math.exp(first - pad), math.exp(last + pad))
    else:
        axes.set_xlim(first - pad, last + pad)


def _up(axes: Axes, panel: Panel, measured: Sequence[Row], rows: Sequence[Row]) -> None:
    """The y axis: with 0, or logarithmic and labelled at 1, 2 and 5, or at powers of ten where it is long."""
    from matplotlib.ticker import FuncFormatter

    ends = _ends(rows)
    if not panel.log:
        if measured and max(ends) > FAR * max(_ends(measured)):
            ends = _ends(measured)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: panel.unit(value)))
        axes.set_ylim(min(0.0, 1.08 * min(ends)), 1.08 * max(ends) if max(ends) > 0 else 1.0)
        return
    low, high = _step(min(ends), down=True), _step(max(ends), down=False)
    short = high / low < 1e3
    axes.set_ylim(0.95 * low, 1.05 * high)  # first: of equal values alone the scale would make no limits
    logarithmic(axes, panel.unit, (1, 2, 5) if short else (1,), numticks=20)


def _ends(rows: Sequence[Row]) -> list[float]:
    ends = [each[name] for each in rows for name in ("y", "y_low", "y_high") if each[name]]
    return ends + [value for each in rows for value in each[RAW[0]] or ()]


def _step(value: float, *, down: bool) -> float:
    """The next of 1, 2, 5, 10, 20 ... below or above."""
    ten: float = 10.0 ** math.floor(math.log10(value))
    steps = [step * ten for step in (1, 2, 5, 10)]
    if down:
        return max(step for step in steps if step <= value * (1 + 1e-9))
    return min(step for step in steps if step >= value * (1 - 1e-9))


def _beside(axes: Axes, x: float, y: float, text: str) -> None:
    axes.annotate(text, (x, y), (4.5, -2.5), textcoords="offset points", fontsize=6.5, color="0.25")


def _reference(axes: Axes, panel: Panel, rows: Sequence[Row], high: int) -> int:
    """Draw the rows of one reference; ``high``: how many stand in words at the top already, returned: how many more."""
    lines_above = 0
    look: dict[str, Any] = {"color": MUTED, "linewidth": 1, "zorder": 1}
    words: dict[str, Any] = {"textcoords": "offset points", "va": "bottom", "fontsize": 8, "color": "0.35"}
    sloping = [each for each in rows if each["x"] is not None]
    if sloping:
        axes.plot([each["x"] for each in sloping], [each["y"] for each in sloping], **look, label=rows[0]["line"])
    for each in rows:
        if each["x"] is not None:
            continue
        if each["y"] > axes.get_ylim()[1]:
            height = panel.unit(float(f"{each['y']:.3g}"))
            far = f"{each['line']}: {height} \N{UPWARDS ARROW}"
            axes.annotate(
                far, (1, 1), (-2, -9 - 10 * (high + lines_above)), xycoords="axes fraction", ha="right", **words
            )
            lines_above += 1
            continue
        axes.axhline(each["y"], **look)
        if each["y_low"] is not None and each["y_low"] < each["y_high"]:
            axes.axhspan(each["y_low"], each["y_high"], color=MUTED, alpha=0.15, linewidth=0, zorder=0)
        at = ("axes fraction", "data")
        box = {"facecolor": "white", "alpha": 0.6, "linewidth": 0, "pad": 0.3}
        axes.annotate(each["line"], (0.5, each["y"]), (0, 3), xycoords=at, ha="center", bbox=box, **words)
        scatter(axes, EDGE, each[RAW[0]], None, MUTED, Distances.none(), transform=axes.get_yaxis_transform())
    return lines_above


def _in_a_row(names: Sequence[str]) -> int:
    return 6 if max(map(len, names)) <= LONG else 4


def _legend_rows(chart: Chart) -> int:
    """Lines and sloping references have a place in the legend."""
    names = list(
        dict.fromkeys(each["line"] for each in chart.rows if each["line"] in chart.lines or each["x"] is not None)
    )
    return math.ceil(len(names) / _in_a_row(names)) if names else 0


def put_legend(figure: Figure, panels: Sequence[Axes], lines: Sequence[str] = ()) -> None:
    """A name above the panels for each line of any of them, those of ``lines`` first."""
    handles_by_name: dict[str, Any] = {}
    for axes in panels:
        handles, names = axes.get_legend_handles_labels()
        handles_by_name |= dict(zip(names, handles, strict=True))
    names = sorted(handles_by_name, key=lambda name: lines.index(name) if name in lines else len(lines))
    figure.legend(
        [handles_by_name[name] for name in names], names, loc="upper center", ncols=min(len(names), _in_a_row(names)),
        frameon=False, handlelength=4, fontsize=9,
    )  # fmt: skip
