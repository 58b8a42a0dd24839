"""The first figure: throughput, and speed-up against the serial engine, over the number of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import StreambenchError
from streambench.figures.caption import DERIVED, MEASURED, origin, put_under
from streambench.figures.files import save, save_rows
from streambench.figures.lines import bars, frame, look, plain
from streambench.interval_text import error_bars
from streambench.summary import SERIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "scaling"
ENGINE = "ordered"
DODGE = 0.045  # lines of one x are set side by side, so that error bars do not hide each other

Point = dict[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write scaling.png, scaling.svg and scaling.csv; returns their paths.

    Raises StreambenchError where the document has no verified run of both engines.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    found = points(document["summary"])
    if not any(point["engine"] == ENGINE for point in found):
        raise StreambenchError(
            f"there is nothing to draw: the result holds no verified run of the {ENGINE} engine; "
            "measure again with `streambench bench`"
        )
    return [*save(_figure(found, caption(document)), out, NAME), save_rows(found, out, NAME)]


def points(summary: Sequence[Mapping[str, Any]]) -> list[Point]:
    """What is drawn: per query, engine and workers the verified row of the highest throughput, as flat records."""
    best: dict[tuple[str, str, int], Mapping[str, Any]] = {}
    for row in summary:
        if row["engine"] not in (SERIAL, ENGINE) or not row["verified"] or row["throughput"] is None:
            continue
        key = (row["query"], row["engine"], row["workers"])
        if key not in best or row["throughput"] > best[key]["throughput"]:
            best[key] = row
    return [_point(row) for row in best.values()]


def caption(document: Mapping[str, Any]) -> str:
    """Machine, cores, version, date, scale and method, in sentences."""
    missing = _missing(document["summary"])
    return (
        f"{origin(document)} {error_bars(_repeats(document['summary']))} On the right they are those of the paired "
        "ratios. At the fastest unit size tried. Input tuples counted at the sink. Serial "
        f"is the same operators in one thread without queues or atomics. {MEASURED}; every run's output sequence was "
        f"checked against serial's, every configuration's answer (one lap) against SQL.{missing} {DERIVED}"
    )


def _repeats(summary: Sequence[Mapping[str, Any]]) -> list[int]:
    return [row["throughput_interval"]["n"] for row in summary if row["throughput_interval"]]


def _missing(summary: Sequence[Mapping[str, Any]]) -> str:
    wrong = sorted({str(row["query"]) for row in summary if not row["verified"]})
    return f" Not drawn, because a run was wrong: a configuration of {', '.join(wrong)}." if wrong else ""


def _point(row: Mapping[str, Any]) -> Point:
    interval, ratio = row.get("throughput_interval") or {}, row.get("ratio") or {}
    return {
        **{name: row.get(name) for name in ("query", "engine", "workers", "unit", "partitions", "runs")},
        "throughput": row["throughput"],
        "throughput_low": interval.get("low"),
        "throughput_high": interval.get("high"),
        **{f"ratio{part}": ratio.get(key) for part, key in (("", "median"), ("_low", "low"), ("_high", "high"))},
    }


def _figure(found: Sequence[Point], text: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 4.9))
    left, right = figure.subplots(1, 2)
    queries = list(dict.fromkeys(point["query"] for point in found))
    workers = sorted({point["workers"] for point in found if point["engine"] == ENGINE})
    for number, query in enumerate(queries):
        shift = (number - (len(queries) - 1) / 2) * DODGE
        _lines(left, right, [point for point in found if point["query"] == query], workers, number, shift)
    right.axhline(1, color="0.45", linewidth=1, zorder=1)
    right.annotate(
        "serial",
        (1, 1),
        (-2, 3),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8,
        color="0.35",
    )
    _frame(left, "throughput (input tuples/s)", ["serial", *map(str, workers)], first=-1)
    _frame(right, "speed-up (throughput / serial throughput)", [str(count) for count in workers], first=0)
    left.axvline(-0.5, color="0.8", linewidth=0.8)
    left.set_yscale("log")
    _ticks(left)
    right.set_ylim(bottom=0)
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", ncols=len(names), frameon=False, handlelength=4)
    foot = put_under(figure, text) / figure.get_figheight()
    figure.subplots_adjust(left=0.085, right=0.985, top=0.9, bottom=0.13 + foot, wspace=0.26)
    return figure


def _lines(left: Axes, right: Axes, points: Sequence[Point], workers: Sequence[int], number: int, shift: float) -> None:
    style = look(number)
    by_workers = {point["workers"]: point for point in points if point["engine"] == ENGINE}
    ours = [by_workers.get(count) for count in workers]  # None where there is no right run: the line breaks there
    serial = [point for point in points if point["engine"] == SERIAL]
    place = [index + shift for index in range(len(workers))]
    bars(left, place, ours, "throughput", {**style, "label": str(points[0]["query"]).upper()})
    bars(left, [-1 + shift] * len(serial), serial, "throughput", {**style, "markerfacecolor": "white", "linestyle": ""})
    bars(right, place, ours, "ratio", style)


def _frame(axes: Axes, label: str, names: Sequence[str], first: int) -> None:
    axes.set_xlabel("workers")
    axes.set_ylabel(label)
    axes.set_xticks(range(first, first + len(names)), names)
    axes.set_xlim(first - 0.5, first + len(names) - 0.5)
    frame(axes)


def _ticks(axes: Axes) -> None:
    """Logarithmic, but labelled in plain numbers at 1, 2 and 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axes.yaxis.set_minor_locator(NullLocator())
