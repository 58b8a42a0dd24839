"""The figure of `streambench bench perf`: how every measure stands to its target, with its interval, a row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import StreambenchError
from streambench.lab.figures.caption import DERIVED, MEASURED, origin, put_under
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import GRID, TEXT
from streambench.lab.record.interval_text import percent
from streambench.lab.record.perf_summary import number, target_text
from streambench.lab.record.run import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "perf"
WIDTH, ROW, EDGE = 9.2, 0.185, 0.5  # inches
SPAN = (1 / 32, 32)  # times the target; what lies beyond stands at the edge, and the label has its number
MET, MISSED = "#0050b0", "#c8501e"
FIELDS = (
    "section",
    "case",
    "what",
    "unit",
    "target",
    "at_most",
    "median",
    "low",
    "high",
    "n",
    "coverage",
    "met",
    "note",
)

Placed = dict[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write perf.png, perf.svg and perf.csv, the latter with the rows that have no target, too; returns their paths.

    Raises StreambenchError where no row has a target.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    rows = document["summary"]
    places = placed(rows)
    if not places:
        raise StreambenchError("there is nothing to draw: the result holds no row with a target; name other sections")
    figure = _figure(places, caption(document))
    csv = [{name: row[name] for name in FIELDS} for row in rows]
    return [*save(figure, out, NAME), save_rows(csv, out, NAME)]


def placed(rows: Sequence[Row]) -> list[Placed]:
    """The rows with a target, each with its place: above 1 it is better than wanted, however it is bounded.

    Of a bound from below `at` is measured / target, of one from above target / measured; `low` and `high` likewise,
    None where too few runs give no interval. What is not above 0, such as a memory that has shrunk, has no ratio: it is
    set to the better edge.
    """
    places = []
    for row in rows:
        if row["target"] is None:
            continue
        ends = [_better(value, row) for value in (row["low"], row["high"])] if row["coverage"] is not None else []
        low, high = (min(ends), max(ends)) if ends else (None, None)
        places.append({**row, "at": _better(row["median"], row), "low": low, "high": high})
    return places


def caption(document: Mapping[str, Any]) -> str:
    """Machine, version, date, settings and method, in sentences."""
    rows = [row for row in document["summary"] if row["target"] is not None]
    seconds = document["parameters"]["seconds"]
    return (
        f"{origin(document)} Runs of about {seconds:g} s, interleaved, every one checked. "
        f"{_intervals(rows)} Right of 1 a measure is better than its target: the ratio of "
        "measured to wanted, or of wanted to measured where the target is an upper bound; what lies beyond "
        f"{SPAN[1]} times stands at the edge. Filled: met. "
        f"{MEASURED}. {DERIVED}"
    )


def _intervals(rows: Sequence[Row]) -> str:
    covered = [row["coverage"] for row in rows if row["coverage"] is not None]
    if not covered:
        return "Points are medians of too few runs for an interval."
    least = f"{'at least ' if len(set(covered)) > 1 else ''}{percent(min(covered))}"
    return f"Points are medians, lines through them {least} confidence intervals."


def _better(value: float, row: Row) -> float:
    if row["at_most"]:
        return float(row["target"]) / value if value > 0 else SPAN[1]
    return float(value) / float(row["target"])


def _figure(places: Sequence[Placed], text: str) -> Figure:
    from matplotlib.figure import Figure

    sections = list(dict.fromkeys(row["title"] for row in places))
    lines = len(places) + 1.4 * len(sections)
    figure = Figure(figsize=(WIDTH, lines * ROW + 2 * EDGE + 0.5))
    axes = figure.subplots()
    place, names, ticks = 0.0, [], []
    for section in sections:
        place += 0.9
        axes.text(-0.01, place, section, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=7.5,
                  fontweight="bold")  # fmt: skip
        place += 1.0
        for row in (each for each in places if each["title"] == section):
            _mark(axes, place, row)
            names.append(f"{row['what']}   {target_text(row)}")
            ticks.append(place)
            place += 1.0
        place -= 0.5
    axes.set_ylim(place + 0.3, 0)
    _frame(axes, ticks, names)
    height = figure.get_figheight()
    foot = put_under(figure, text) / height
    figure.subplots_adjust(left=0.43, right=0.88, top=1 - 0.12 / height, bottom=foot + EDGE / height)
    return figure


def _mark(axes: Axes, place: float, row: Placed) -> None:
    """A point with its interval, and on the right what was measured."""
    least, greatest = SPAN
    colour = MET if row["met"] else MISSED
    at = min(max(row["at"], least), greatest)
    if row["low"] is not None:
        ends = [min(max(end, least), greatest) for end in (row["low"], row["high"])]
        axes.plot(ends, [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
    axes.plot(
        [at], [place], marker="o", markersize=4.5, color=colour, markerfacecolor=colour if row["met"] else "white"
    )
    axes.annotate(f"{number(row['median'])} {row['unit']}", (1, place), (4, 0), xycoords=axes.get_yaxis_transform(),
                  textcoords="offset points", va="center", fontsize=7, color=TEXT)  # fmt: skip


def _frame(axes: Axes, ticks: Sequence[float], names: Sequence[str]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    axes.set_xscale("log")
    axes.set_xlim(SPAN[0] * 0.9, SPAN[1] * 1.1)
    axes.xaxis.set_major_locator(FixedLocator([1 / 32, 1 / 8, 1 / 2, 1, 2, 8, 32]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels(["1/32", "1/8", "1/2", "target", "2", "8", "32"], fontsize=7.5)
    axes.set_yticks(ticks, names, fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.axvline(1, color="0.3", linewidth=1)
    axes.set_xlabel("times as good as the target", fontsize=8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
