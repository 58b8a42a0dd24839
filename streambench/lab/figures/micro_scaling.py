"""The micro pipeline over workers, beside as many hand-fused loops at once: how many times one loop they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import MEASURED, origin, put_under
from streambench.lab.figures.files import write_section
from streambench.lab.figures.lines import bars, frame, look, plain
from streambench.lab.record.statistics import FEWEST_REPEATS, Ratio, paired_ratio

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "micro-scaling"
SECTION, ONE = "scaling", "1 loop"
KINDS = ("workers", "loops")
WIDTH, HEIGHT, EDGE = 9.2, 2.75, 0.55  # inches; the height is that of a row of panels

Point = dict[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write micro-scaling.png, .svg and .csv; returns their paths.

    Raises StreambenchError where the result was measured without the section ``scaling``.
    """
    data = points(document)
    return write_section(out, NAME, SECTION, data, lambda: _figure(data, caption(document)))


def points(document: Mapping[str, Any]) -> list[Point]:
    """Of each case, kind and number the throughput in loops: how many times one loop, paired by repeat."""
    data = []
    for case in document["runs"]:
        if case["section"] != SECTION:
            continue
        series = {each["name"]: each["values"] for each in case["series"]}
        work, _, place = case["case"].partition(", ")
        for name, values in series.items():
            count, _, kind = name.partition(" ")
            if name != ONE:
                ratio = paired_ratio(series[ONE], values)
                data.append({"work": work, "place": place, "kind": kind, "number": int(count), **told(ratio)})
    return data


def caption(document: Mapping[str, Any]) -> str:
    """Machine, version, date and method, in sentences."""
    runs = sorted({point["n"] for point in points(document)})
    many = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    return (
        f"{origin(document, data=False)} Points are medians of {many} runs, with intervals from "
        f"{FEWEST_REPEATS} runs on. Solid: workers of the engine `ordered`, which share one stream; dashed: as many "
        f"hand-fused loops at once, each over a stream of its own. {MEASURED}; every run's output sequence was checked."
    )


def told(ratio: Ratio) -> Point:
    """Fewer repeats than an interval takes have no error bar."""
    has_interval = ratio.coverage is not None
    ends = {"ratio_low": ratio.low if has_interval else None, "ratio_high": ratio.high if has_interval else None}
    return {"ratio": ratio.median, **ends, "n": ratio.n}


def _figure(data: Sequence[Point], text: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullLocator

    works = list(dict.fromkeys(point["work"] for point in data))
    places = list(dict.fromkeys(point["place"] for point in data))
    counts = sorted({point["number"] for point in data})
    rows = -(-len(works) // 2)
    figure = Figure(figsize=(WIDTH, rows * HEIGHT + 2 * EDGE + 0.3))
    panels = figure.subplots(rows, 2, squeeze=False, sharex=True, sharey=True).flatten()
    for axes, work in zip(panels, works, strict=False):
        for number, place in enumerate(places):
            for kind in KINDS:
                of = [point for point in data if (point["work"], point["place"], point["kind"]) == (work, place, kind)]
                style = look(number) | ({"label": place} if kind == "workers" else {"markerfacecolor": "white"})
                style["linestyle"] = "-" if kind == "workers" else (0, (3, 2))
                bars(axes, [point["number"] for point in of], of, "ratio", style)
        axes.set_title(work, fontsize=10)
        axes.axhline(1, color="0.6", linewidth=1, zorder=1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
        frame(axes)
    for axes in panels[len(works) :]:
        axes.set_visible(False)
    for axes in panels[::2]:
        axes.set_ylabel("times one loop")
    for axes in panels[-2:]:
        axes.set_xlabel("workers, or loops at once")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", ncols=len(names), frameon=False)
    height = figure.get_figheight()
    foot = put_under(figure, text) / height
    figure.subplots_adjust(
        left=0.075, right=0.985, top=1 - 0.65 / height, bottom=foot + EDGE / height, hspace=0.22, wspace=0.08
    )
    return figure
