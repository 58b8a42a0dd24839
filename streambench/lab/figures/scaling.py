"""The first figure: throughput, and speed-up against the serial engine, over the number of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import StreambenchError
from streambench.lab.figures.caption import DERIVED, MEASURED, origin, put_under
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import bars, frame, look, plain
from streambench.lab.figures.raw_points import SCALE_HEIGHT, Distances, scatter, spaced
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.summary import GROUP, SERIAL, by_repeat, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "scaling"
PARALLEL = ("ordered", "schemes")  # a bench measures one of them beside serial; the first benches had the latter
RAW = ("throughputs", "ratios", "core_round_trips_ns")
DODGE = 0.11  # lines of one x are set side by side, so that error bars do not hide each other

Point = dict[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write scaling.png, scaling.svg and scaling.csv; returns their paths.

    Raises StreambenchError where the document has no verified run of a parallel engine.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    found = points(document["runs"])
    if not any(point["engine"] in PARALLEL for point in found):
        raise StreambenchError(
            f"there is nothing to draw: the result holds no verified run of the engine {' or '.join(PARALLEL)}; "
            "measure again with `streambench bench queries`"
        )
    return [*save(_figure(found, caption(document)), out, NAME), save_rows(for_csv(found), out, NAME)]


def points(runs: Sequence[Run]) -> list[Point]:
    """What is drawn: per query, engine and workers the verified row of the highest throughput, as flat records.

    The rows are summed up again from the runs, so that old files have the intervals of today.
    """
    best: dict[tuple[str, str, int], Mapping[str, Any]] = {}
    for row in summarise(runs):
        if row["engine"] not in (SERIAL, *PARALLEL) or not row["verified"] or row["throughput"] is None:
            continue
        key = (row["query"], row["engine"], row["workers"])
        if key not in best or row["throughput"] > best[key]["throughput"]:
            best[key] = row
    return [_point(row, runs) for row in best.values()]


def for_csv(found: Sequence[Point]) -> list[Point]:
    """The records with the values of single runs as numbers with spaces between them."""
    return [{**point, **{name: spaced(point[name]) for name in RAW}} for point in found]


def caption(document: Mapping[str, Any]) -> str:
    """Machine, cores, version, date, scale and method, in sentences."""
    summary = summarise(document["runs"])
    missing = _missing(summary)
    named = {str(row["query"]) for row in summary}
    own = {name for name in named if _is_own(name)}
    whose = "query's" if own else "configuration's"
    told = [f", every {whose} answer (one lap) against SQL"] if named > own else []
    told += (
        [f", that of {', '.join(sorted(own))} against SQL of its own"] if document["parameters"].get("oracle") else []
    )
    return (
        f"{origin(document)} {error_bars(_repeats(summary))} On the right ratios, paired by repeat. "
        "At the fastest unit size tried. Input tuples counted at the sink. Serial "
        f"is the same operators in one thread without queues or atomics. {MEASURED}; every run's output sequence was "
        f"checked against serial's{''.join(told)}.{missing}{f' {DERIVED}' if named > own else ''}"
    )


def _is_own(name: str) -> bool:
    """Whether it is a ``module:function``."""
    return ":" in name


def _repeats(summary: Sequence[Mapping[str, Any]]) -> list[int]:
    return [row["throughput_interval"]["n"] for row in summary if row["throughput_interval"]]


def _missing(summary: Sequence[Mapping[str, Any]]) -> str:
    wrong = sorted({str(row["query"]) for row in summary if not row["verified"]})
    return f" Not drawn, because a run was wrong: a configuration of {', '.join(wrong)}." if wrong else ""


def _point(row: Mapping[str, Any], runs: Sequence[Run]) -> Point:
    interval, ratio = _told(row.get("throughput_interval")), _told(row.get("ratio"))
    ours = by_repeat(run for run in runs if _same(run, row))
    serial = by_repeat(run for run in runs if run["query"] == row["query"] and run["engine"] == SERIAL) if ratio else {}
    repeats = {run["repeat"]: run.get("core_round_trip_ns") for run in runs if _same(run, row)}
    return {
        **{name: row.get(name) for name in ("query", "engine", "workers", "unit", "partitions", "runs")},
        "throughput": row["throughput"],
        "throughput_low": interval.get("low"),
        "throughput_high": interval.get("high"),
        **{f"ratio{part}": ratio.get(key) for part, key in (("", "median"), ("_low", "low"), ("_high", "high"))},
        "throughputs": tuple(ours.values()),
        "ratios": tuple(value / serial[pair] if pair in serial else None for pair, value in ours.items()),
        "core_round_trips_ns": tuple(repeats[repeat] for repeat, _ in ours),
    }


def _same(run: Run, row: Mapping[str, Any]) -> bool:
    return all(run.get(name) == row[name] for name in GROUP)


def _told(interval: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """An interval without its ends where these are no more than the least and the greatest of a few values."""
    if interval is None:
        return {}
    return interval if interval["coverage"] is not None else {**interval, "low": None, "high": None}


def _figure(found: Sequence[Point], text: str) -> Figure:
    from matplotlib.figure import Figure

    distances = Distances.of([point["core_round_trips_ns"] for point in found])
    strip = SCALE_HEIGHT if distances.grouped else 0.0
    figure = Figure(figsize=(9.2, 4.9 + strip))
    left, right = figure.subplots(1, 2)
    queries = list(dict.fromkeys(point["query"] for point in found))
    workers = sorted({point["workers"] for point in found if point["engine"] in PARALLEL})
    for number, query in enumerate(queries):
        shift = (number - (len(queries) - 1) / 2) * DODGE
        of_query = [point for point in found if point["query"] == query]
        _lines(left, right, of_query, workers, number, shift, distances)
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
    height = figure.get_figheight()
    foot = put_under(figure, text) / height
    distances.draw_scale(figure, foot + 0.12 / height)
    figure.subplots_adjust(left=0.085, right=0.985, top=0.9, bottom=0.13 + foot + strip / height, wspace=0.26)
    return figure


def _lines(
    left: Axes,
    right: Axes,
    points: Sequence[Point],
    workers: Sequence[int],
    number: int,
    shift: float,
    distances: Distances,
) -> None:
    style = look(number)
    name = str(points[0]["query"])
    by_workers = {point["workers"]: point for point in points if point["engine"] in PARALLEL}
    ours = [by_workers.get(count) for count in workers]  # None where there is no right run: the line breaks there
    serial = [point for point in points if point["engine"] == SERIAL]
    place = [index + shift for index in range(len(workers))]
    bars(left, place, ours, "throughput", {**style, "label": name if _is_own(name) else name.upper()})
    bars(left, [-1 + shift] * len(serial), serial, "throughput", {**style, "markerfacecolor": "white", "linestyle": ""})
    bars(right, place, ours, "ratio", style)
    everywhere = [*zip(place, ours, strict=True), *((-1 + shift, point) for point in serial)]
    for at, point in everywhere:
        if point is not None:
            scatter(left, at, point["throughputs"], point["core_round_trips_ns"], style["color"], distances)
    for at, point in zip(place, ours, strict=True):
        if point is not None:
            scatter(right, at, point["ratios"], point["core_round_trips_ns"], style["color"], distances)


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
