"""The first figure: throughput, and speed-up against the serial engine, over the number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import DERIVED, MEASURED, not_drawn, origin, sentences
from streambench.lab.figures.chart import put_legend, sheet
from streambench.lab.figures.files import Picture
from streambench.lab.figures.lines import bars, frame, logarithmic, look, plain
from streambench.lab.figures.points import Document
from streambench.lab.figures.raw_points import SCALE_HEIGHT, Distances, scatter, spaced
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.summary import GROUP, SERIAL, by_repeat, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "scaling"
PARALLEL = ("ordered", "schemes")  # a bench measures one of them beside serial; the first benches had the latter
LACKING = f"no verified run of the engine {' or '.join(PARALLEL)}; measure again with `streambench bench queries`"
RAW = ("throughputs", "ratios", "core_round_trips_ns")
HEIGHT = 3.7  # inches
DODGE = 0.11  # lines of one x are set side by side, so that error bars do not hide each other

Point = dict[str, Any]


def pictures(document: Document) -> Iterator[Picture]:
    """The figure with its caption; none where the document has no verified run of a parallel engine."""
    data = points(document["runs"])
    if any(point["engine"] in PARALLEL for point in data):
        csv = [{**point, **{name: spaced(point[name]) for name in RAW}} for point in data]
        yield Picture(NAME, lambda: _figure(data, caption(document)), csv)


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


def caption(document: Document) -> str:
    """Machine, cores, version, date, scale and method, in sentences."""
    summary = summarise(document["runs"])
    repeats = [row["throughput_interval"]["n"] for row in summary if row["throughput_interval"]]
    wrong = sorted({str(row["query"]) for row in summary if not row["verified"]})
    named = {str(row["query"]) for row in summary}
    own = {name for name in named if _is_own(name)}
    checks = f", every {'query' if own else 'configuration'}'s answer (one lap) against SQL" if named > own else ""
    if document["parameters"].get("oracle"):
        checks += f", that of {', '.join(sorted(own))} against SQL of its own"
    return sentences(
        origin(document),
        error_bars(repeats),
        "On the right ratios, paired by repeat. At the fastest unit size tried. Input tuples counted at the sink. "
        f"Serial is the same operators in one thread without queues or atomics. {MEASURED}; every run's output "
        f"sequence was checked against serial's{checks}.",
        not_drawn([f"a configuration of {', '.join(wrong)}"] if wrong else []).lstrip(),
        DERIVED if named > own else "",
    )


def _is_own(name: str) -> bool:
    """Whether it is a ``module:function``."""
    return ":" in name


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


def _figure(data: Sequence[Point], text: str) -> Figure:
    distances = Distances.of([point["core_round_trips_ns"] for point in data])
    foot = 0.65 + (SCALE_HEIGHT if distances.grouped else 0.0)
    figure, (left, right), under = sheet(2, 2, HEIGHT, text, 0.3, foot)
    queries = list(dict.fromkeys(point["query"] for point in data))
    workers = sorted({point["workers"] for point in data if point["engine"] in PARALLEL})
    for number, query in enumerate(queries):
        shift = (number - (len(queries) - 1) / 2) * DODGE
        of_query = [point for point in data if point["query"] == query]
        by_workers = {point["workers"]: point for point in of_query if point["engine"] in PARALLEL}
        # None where there is no right run: the line breaks there.
        ours = [(place + shift, by_workers.get(count)) for place, count in enumerate(workers)]
        serial = [(-1 + shift, point) for point in of_query if point["engine"] == SERIAL]
        style = {**look(number), "label": query if _is_own(query) else query.upper()}
        _line(left, ours, "throughput", style, distances)
        alone = {**look(number), "markerfacecolor": "white", "linestyle": ""}
        _line(left, serial, "throughput", alone, distances)
        _line(right, ours, "ratio", look(number), distances)
    right.axhline(1, color="0.45", linewidth=1, zorder=1)
    words: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 8, "color": "0.35"}
    right.annotate("serial", (1, 1), (-2, 3), xycoords=("axes fraction", "data"), textcoords="offset points", **words)
    _frame(left, "throughput (input tuples/s)", ["serial", *map(str, workers)], first=-1)
    _frame(right, "speed-up (throughput / serial throughput)", [str(count) for count in workers], first=0)
    left.axvline(-0.5, color="0.8", linewidth=0.8)
    logarithmic(left, plain)
    right.set_ylim(bottom=0)
    put_legend(figure, (left,))
    distances.draw_scale(figure, (under + 0.12) / figure.get_figheight())
    return figure


def _line(
    axes: Axes, placed: Sequence[tuple[float, Point | None]], name: str, style: dict[str, Any], distances: Distances
) -> None:
    """Medians with error bars, and the single runs behind them."""
    bars(axes, [at for at, _ in placed], [point for _, point in placed], name, style)
    for at, point in placed:
        if point is not None:
            scatter(axes, at, point[f"{name}s"], point["core_round_trips_ns"], style["color"], distances)


def _frame(axes: Axes, label: str, names: Sequence[str], first: int) -> None:
    axes.set_xlabel("workers")
    axes.set_ylabel(label)
    axes.set_xticks(range(first, first + len(names)), names)
    axes.set_xlim(first - 0.5, first + len(names) - 0.5)
    frame(axes)
