"""The figure of a rate search: latency from arrival over the offered rate, by engine and number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import DERIVED, MEASURED, not_drawn, origin
from streambench.lab.figures.chart import COLUMNS, LEGEND_HEIGHT, put_legend, sheet
from streambench.lab.figures.files import Picture
from streambench.lab.figures.lines import frame, look, plain, seconds
from streambench.lab.figures.points import Document
from streambench.lab.figures.raw_points import spaced
from streambench.lab.record.rate_search_summary import POINT, SEARCH, label, scheme
from streambench.lab.record.run import Row
from streambench.lab.record.summary import SERIAL, duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "latency-over-load"
LACKING = "no rate at which all runs were right"
HEIGHT, EDGE = 3.1, 0.55  # inches


def pictures(document: Document) -> Iterator[Picture]:
    """The figure with its caption; none where there is no point of which all runs were right."""
    if data := points(document):
        csv = [{**row, "latencies": spaced(row["latencies"])} for row in data]
        yield Picture(NAME, lambda: _figure(data, caption(document)), csv)


def points(document: Document) -> list[Row]:
    """A flat record for each rate tried: its `latency` of the bound's quantile, the median of its runs' `latencies`."""
    data = []
    for row in document["summary"]:
        quantile = row["bound"]["quantile"]
        for each in row["curve"]:
            runs = [run for run in document["runs"] if _is_at(run, row, each["rate"])]
            data.append(
                {
                    **{name: row[name] for name in POINT},
                    "rate": each["rate"],
                    "quantile": quantile,
                    "latency": each["latency"][quantile],
                    "met": each["met"],
                    "runs": each["runs"],
                    "bound": row["bound"]["seconds"],
                    **{name: row[name] for name in ("sustainable_rate", "low", "high")},
                    "latencies": tuple(run["latency_end_to_end"][quantile] for run in runs),
                }
            )
    return data


def caption(document: Document) -> str:
    """Machine, version, date, bound and method, in sentences."""
    row = next(row for row in document["summary"] if row["curve"])
    bound = row["bound"]
    bad = sorted({str(each["query"]) for each in document["summary"] if not each["verified"]})
    missing = not_drawn([f"a configuration of {', '.join(bad)}"] if bad else [])
    return (
        f"{origin(document)} Open loop, {row['arrivals']} arrivals; latency from the intended arrival until the sink "
        "has processed the tuple. Small points are single runs, large ones medians, filled where the bound "
        f"({label(bound['quantile'])} within {duration(bound['seconds'])}, dashed) was met; the upright lines stand at "
        f"the highest such rate, in its 95 % interval. {MEASURED}; every run's output sequence was checked.{missing} "
        f"{DERIVED}"
    )


def _is_at(run: Mapping[str, Any], row: Row, rate: float) -> bool:
    return run["step"] == SEARCH and run["rate"] == rate and all(run[name] == row[name] for name in POINT)


def _figure(data: Sequence[Row], text: str) -> Figure:
    queries = list(dict.fromkeys(row["query"] for row in data))
    lines = list(dict.fromkeys(_line(row) for row in data))
    figure, grid, _ = sheet(len(queries), min(COLUMNS, len(queries)), HEIGHT, text, LEGEND_HEIGHT, EDGE)
    for axes, query in zip(grid, queries, strict=True):
        _panel(axes, [row for row in data if row["query"] == query], lines)
        axes.set_title(query.upper(), fontsize=10)
        axes.set_xlabel("offered rate (tuples/s)", fontsize=9)
    grid[0].set_ylabel(f"{label(data[0]['quantile'])} from arrival", fontsize=9)
    put_legend(figure, grid)
    return figure


def _panel(axes: Axes, rows: Sequence[Row], lines: Sequence[str]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for line in dict.fromkeys(_line(row) for row in rows):
        of_line = sorted((row for row in rows if _line(row) == line), key=lambda row: float(row["rate"]))
        style = look(lines.index(line))
        drawn = {name: style[name] for name in ("color", "linestyle", "linewidth")}
        axes.plot([row["rate"] for row in of_line], [row["latency"] for row in of_line], **drawn, zorder=2)
        for row in of_line:
            axes.scatter([row["rate"]] * len(row["latencies"]), row["latencies"], s=9, c=style["color"], alpha=0.4,
                         linewidths=0, zorder=3)  # fmt: skip
            axes.plot(row["rate"], row["latency"], marker=style["marker"], markersize=5.5, color=style["color"],
                      markerfacecolor=style["color"] if row["met"] else "white", zorder=4)  # fmt: skip
        axes.plot([], [], label=line, marker=style["marker"], markersize=5.5, **drawn)
        if of_line[0]["sustainable_rate"]:
            axes.axvline(of_line[0]["sustainable_rate"], color=style["color"], linewidth=0.8, alpha=0.6, zorder=1)
            ends = of_line[0]["low"], of_line[0]["high"] or of_line[-1]["rate"]
            axes.axvspan(*ends, color=style["color"], alpha=0.07, linewidth=0, zorder=0)
    axes.axhline(rows[0]["bound"], color="0.35", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yscale("log")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds(value)))
    frame(axes)


def _line(row: Row) -> str:
    if row["engine"] == SERIAL:
        return SERIAL
    return f"{scheme(row)}, {row['workers']} worker{'' if row['workers'] == 1 else 's'}"
