"""The figure of a rate search: latency from arrival over the offered rate, by engine and number of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import StreambenchError
from streambench.lab.figures.caption import DERIVED, MEASURED, origin, put_under
from streambench.lab.figures.files import save, save_rows
from streambench.lab.figures.lines import frame, look, plain, seconds
from streambench.lab.figures.raw_points import spaced
from streambench.lab.record.rate_search_summary import POINT, SEARCH, label
from streambench.lab.record.summary import SERIAL, duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "latency-over-load"
WIDTH, HEIGHT, EDGE = 9.2, 3.1, 0.55  # inches
COLUMNS = 3

Row = dict[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write latency-over-load.png, .svg and .csv; returns their paths.

    Raises StreambenchError where the document has no point of which all runs were right.
    """
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    found = points(document)
    if not found:
        raise StreambenchError("there is nothing to draw: the result holds no rate at which all runs were right")
    csv = [{**row, "latencies": spaced(row["latencies"])} for row in found]
    return [*save(_figure(found, document), out, NAME), save_rows(csv, out, NAME)]


def points(document: Mapping[str, Any]) -> list[Row]:
    """A flat record for each rate tried: its `latency` of the bound's quantile, the median of its runs' `latencies`."""
    found = []
    for row in document["summary"]:
        quantile = row["bound"]["quantile"]
        for each in row["curve"]:
            runs = [run for run in document["runs"] if _is_at(run, row, each["rate"])]
            found.append(
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
    return found


def caption(document: Mapping[str, Any]) -> str:
    """Machine, version, date, bound and method, in sentences."""
    row = next(row for row in document["summary"] if row["curve"])
    bound = row["bound"]
    bad = sorted({str(each["query"]) for each in document["summary"] if not each["verified"]})
    missing = f" Not drawn, because a run was wrong: a configuration of {', '.join(bad)}." if bad else ""
    return (
        f"{origin(document)} Open loop, {row['arrivals']} arrivals; latency from the intended arrival until the sink "
        "has processed the tuple. Small points are single runs, large ones medians, filled where the bound "
        f"({label(bound['quantile'])} within {duration(bound['seconds'])}, dashed) was met; the upright lines stand at "
        f"the highest such rate, in its 95 % interval. {MEASURED}; every run's output sequence was checked.{missing} "
        f"{DERIVED}"
    )


def _is_at(run: Mapping[str, Any], row: Row, rate: float) -> bool:
    return run["step"] == SEARCH and run["rate"] == rate and all(run[name] == row[name] for name in POINT)


def _figure(found: Sequence[Row], document: Mapping[str, Any]) -> Figure:
    from matplotlib.figure import Figure

    queries = list(dict.fromkeys(row["query"] for row in found))
    lines = list(dict.fromkeys(_line(row) for row in found))
    columns = min(COLUMNS, len(queries))
    down = -(-len(queries) // columns)
    figure = Figure(figsize=(WIDTH, 1.0))
    under = put_under(figure, caption(document))
    height = down * HEIGHT + EDGE + under
    figure.set_figheight(height)
    figure.texts[0].set_y(0.06 / height)
    grid = figure.subplots(down, columns, squeeze=False).ravel()
    for axes in grid[len(queries) :]:
        axes.set_axis_off()
    for axes, query in zip(grid, queries, strict=False):
        _panel(axes, [row for row in found if row["query"] == query], lines)
        axes.set_title(query.upper(), fontsize=10)
        axes.set_xlabel("offered rate (tuples/s)", fontsize=9)
    grid[0].set_ylabel(f"{label(found[0]['quantile'])} from arrival", fontsize=9)
    named = {name: handle for axes in grid for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(
        named.values(), named.keys(), loc="upper center", ncols=len(named), frameon=False, fontsize=9, handlelength=4
    )
    side = 0.16 if columns == 1 else 0.0
    figure.subplots_adjust(
        left=0.085 + side, right=0.975 - side, top=1 - EDGE / height, bottom=(under + EDGE) / height, wspace=0.3,
        hspace=0.45,
    )  # fmt: skip
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
    return f"{row['engine']}, {row['workers']} worker{'' if row['workers'] == 1 else 's'}"
