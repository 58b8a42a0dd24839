"""Tasks that end in order, over the work of each: how many times one thread each way does (paper 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.lab.figures.caption import MEASURED, origin, put_under
from streambench.lab.figures.files import write_section
from streambench.lab.figures.lines import bars, frame, look, plain
from streambench.lab.figures.micro_scaling import told
from streambench.lab.record.statistics import FEWEST_REPEATS, paired_ratio

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "ordered-tasks"
SECTION, ONE = "order", "one thread"
WIDTH, HEIGHT, EDGE = 9.2, 4.6, 0.6  # inches

Point = dict[str, Any]


def draw(document: Mapping[str, Any], out: Path) -> list[Path]:
    """Write ordered-tasks.png, .svg and .csv; returns their paths.

    Raises StreambenchError where the result was measured without the section ``order``.
    """
    data = points(document)
    return write_section(out, NAME, SECTION, data, lambda: _figure(data, caption(document)))


def points(document: Mapping[str, Any]) -> list[Point]:
    """Of each language, amount of work and way the throughput: how many times one thread, paired by repeat."""
    data = []
    for case in document["runs"]:
        if case["section"] != SECTION:
            continue
        language, _, work = case["case"].partition(", ")
        series = {each["name"]: each["values"] for each in case["series"]}
        for way, values in series.items():
            if way == ONE:
                continue
            data.append({"language": language, "work": work, "way": way, **told(paired_ratio(series[ONE], values))})
    return data


def caption(document: Mapping[str, Any]) -> str:
    """Machine, version, date and method, in sentences."""
    runs = sorted({point["n"] for point in points(document)})
    many = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    threads = max(document["parameters"].get("workers") or (2,))
    return (
        f"{origin(document, data=False)} Points are medians of {many} runs, with intervals from {FEWEST_REPEATS} "
        f"runs on. {threads} threads prepare tasks, whose ends must come in order; a thread that consumes is one more. "
        f"{MEASURED}; every run's order was checked."
    )


def _figure(data: Sequence[Point], text: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullLocator

    languages = list(dict.fromkeys(point["language"] for point in data))
    works = list(dict.fromkeys(point["work"] for point in data))
    ways = list(dict.fromkeys(point["way"] for point in data))
    figure = Figure(figsize=(WIDTH, HEIGHT))
    panels = figure.subplots(1, len(languages), squeeze=False, sharey=True).flatten()
    for axes, language in zip(panels, languages, strict=True):
        for number, way in enumerate(ways):
            of = {point["work"]: point for point in data if (point["language"], point["way"]) == (language, way)}
            aside = [place + (number - (len(ways) - 1) / 2) * 0.06 for place in range(len(works))]
            bars(axes, aside, [of.get(work) for work in works], "ratio", look(number) | {"label": way})
        axes.set_title(f"in {language}", fontsize=10)
        axes.axhline(1, color="0.6", linewidth=1, zorder=1)
        axes.set_yscale("log", base=2)
        axes.set_xticks(range(len(works)), works)
        axes.set_xlabel("work that prepares a task")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
        frame(axes)
    panels[0].set_ylabel("times one thread")
    handles, names = panels[-1].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", ncols=3, frameon=False)
    foot = put_under(figure, text) / HEIGHT
    figure.subplots_adjust(left=0.105, right=0.985, top=1 - 0.95 / HEIGHT, bottom=foot + EDGE / HEIGHT, wspace=0.08)
    return figure
