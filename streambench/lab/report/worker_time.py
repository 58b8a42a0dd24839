"""Where workers' time went: by stage of every bench, and slot by slot of runs with a timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from streambench.lab.figures import lanes as lanes_figure
from streambench.lab.figures import timeline as worklists
from streambench.lab.figures.lines import COLOURS
from streambench.lab.record.lanes import lanes
from streambench.lab.record.summary import verified
from streambench.lab.report import cost
from streambench.lab.report.given import RUN, Given, of_kind
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.section import Block, Picture, Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Run = Mapping[str, Any]

WIDTH, BAR, REST, LEGEND_LINE = 4.7, 0.34, 0.75, 0.19  # inches
TOLD = 0.08  # a share that has room for its number
TEXT = (
    "The share of all workers' time that each operator took, medians of the repeats; what is left is waiting, handing "
    "over and choosing. The engine serial takes no times."
)
LANES = "What each worker did when, slot by slot; above it the controller's plans."
NO_LANES = "The paper's schemes: the share of worker time by stage, worklists, and rare events of reordering."


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None where neither a bench has profiles nor a run has a timeline."""
    blocks = [block for each in of_kind(given, "bench") for block in _shares(each, drawing)]
    blocks += [_timeline(each, drawing) for each in of_kind(given, RUN) if each.document["timeline"]]
    return Section("worker-time", "Where workers' time went", blocks) if blocks else None


def shares(runs: Sequence[Run]) -> dict[str, float]:
    """The part of the workers' time that each stage took, medians over the runs."""
    found: dict[str, list[float]] = {}
    for run in runs:
        whole = run["workers"] * run["seconds"]
        for stage in run["profile"]:
            found.setdefault(" ".join(stage["operators"]), []).append(stage["seconds"] / whole)
    return {name: median(values) for name, values in found.items()}


def _shares(given: Given, drawing: Drawing) -> list[Block]:
    bars: dict[str, dict[str, list[Run]]] = {}
    for run in given.document["runs"]:
        if verified(run) and run.get("profile") and any(stage["seconds"] for stage in run["profile"]):
            name = f"{run['workers']} worker{'s' * (run['workers'] != 1)}"
            bars.setdefault(str(run["query"]), {}).setdefault(name, []).append(run)
    pictures = []
    for query, found in bars.items():
        parts = {name: shares(runs) for name, runs in found.items()}
        told = "; ".join(
            f"{name}: " + ", ".join(f"{stage} {share:.0%}" for stage, share in each.items())
            for name, each in parts.items()
        )
        pictures.append(Picture(drawing.svg(_bars(query, parts), f"Share of worker time of {query}. {told}.")))
    costs = cost.table(given.document["runs"])
    return [Block(given.title, (TEXT,), pictures, [costs] if costs else [])] if pictures or costs else []


def _bars(query: str, parts: Mapping[str, Mapping[str, float]]) -> Figure:
    """A bar for each number of workers, its stages side by side."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    stages = list(dict.fromkeys(stage for each in parts.values() for stage in each))
    legend = LEGEND_LINE * -(-len(stages) // 3)
    height = BAR * len(parts) + REST + legend
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots()
    begin = dict.fromkeys(parts, 0.0)
    for number, stage in enumerate(stages):
        values = [each.get(stage, 0.0) for each in parts.values()]
        drawn = axes.barh(
            list(parts), values, left=list(begin.values()), height=0.7, color=COLOURS[number % len(COLOURS)],
            edgecolor="white", linewidth=0.5, label=stage,
        )  # fmt: skip
        told = [f"{value:.0%}" if value >= TOLD else "" for value in values]
        axes.bar_label(drawn, told, label_type="center", fontsize=8, color="white")
        begin = {name: begin[name] + value for name, value in zip(parts, values, strict=True)}
    axes.set_xlim(0, max(1.0, *begin.values()))
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.tick_params(labelsize=9)
    axes.set_title(query, fontsize=10, loc="left")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(loc="lower left", ncols=3, frameon=False, fontsize=8, bbox_to_anchor=(0.0, 0.0), borderaxespad=0.1)
    figure.subplots_adjust(left=0.18, right=0.96, top=1 - 0.3 / height, bottom=(0.32 + legend) / height)
    return figure


def _timeline(given: Given, drawing: Drawing) -> Block:
    run = given.document
    title = f"{run['query']}: {run['engine']}, {run['working']} worker{'s' * (run['working'] != 1)}"
    if "worker" in run["timeline"]:
        names = [stage["operators"][0] for stage in run["profile"]]
        serial = run["engine"] == "serial"
        found = lanes(run["timeline"], names, run["choices"], serial=serial, working=run["working"])
        figure, text = lanes_figure.draw(found, title), LANES
    else:
        names = [" + ".join(stage["operators"]) for stage in run["profile"]]
        figure, text = worklists.draw(run["timeline"], names, title), NO_LANES
    return Block(given.title, (text,), [Picture(drawing.svg(figure, f"Timeline of {title}. {text}"))])
