"""Where workers' time went: by stage of every bench, and slot by slot of runs with a timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from streambench.lab.figures import lanes as lanes_figure
from streambench.lab.figures import timeline as worklists
from streambench.lab.figures.lines import COLOURS
from streambench.lab.record.lanes import lanes
from streambench.lab.record.rate_search_summary import POINT, scheme
from streambench.lab.record.run import Plain
from streambench.lab.record.summary import duration, verified
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import RUN, NamedDocument, of_kind
from streambench.lab.report.section import BAD, MIB, Block, Picture, Table
from streambench.lab.show.table import Cell, Column, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


WIDTH, BAR, REST, LEGEND_LINE = 4.7, 0.34, 0.75, 0.19  # inches
TOLD = 0.08  # a share that has room for its number
TEXT = (
    "The share of all workers' time that each operator took, medians of the repeats; what is left is waiting, handing "
    "over and choosing. The engine serial takes no times."
)
LANES = "What each worker did when, slot by slot; above it the controller's plans."
NO_LANES = "The paper's schemes: the share of worker time by stage, worklists, and rare events of reordering."


def blocks(documents: Sequence[NamedDocument], drawing: Drawing) -> Iterator[Block]:
    """Of benches with profiles, and of runs with a timeline."""
    for each in of_kind(documents, "bench"):
        yield from _shares(each, drawing)
    for each in of_kind(documents, RUN):
        if each.document["timeline"]:
            yield _timeline(each, drawing)


def shares(runs: Sequence[Plain]) -> dict[str, float]:
    """The part of the workers' time that each stage took, medians over the runs."""
    parts: dict[str, list[float]] = {}
    for run in runs:
        whole = run["workers"] * run["seconds"]
        for stage in run["profile"]:
            parts.setdefault(" ".join(stage["operators"]), []).append(stage["seconds"] / whole)
    return {name: median(values) for name, values in parts.items()}


def _shares(named: NamedDocument, drawing: Drawing) -> list[Block]:
    bars: dict[str, dict[str, list[Plain]]] = {}
    for run in named.document["runs"]:
        if verified(run) and run.get("profile") and any(stage["seconds"] for stage in run["profile"]):
            name = f"{run['workers']} worker{'s' * (run['workers'] != 1)}"
            bars.setdefault(str(run["query"]), {}).setdefault(name, []).append(run)
    pictures = []
    for query, by_stage in bars.items():
        parts = {name: shares(runs) for name, runs in by_stage.items()}
        description = "; ".join(
            f"{name}: " + ", ".join(f"{stage} {share:.0%}" for stage, share in each.items())
            for name, each in parts.items()
        )
        pictures.append(Picture(drawing.svg(_bars(query, parts), f"Share of worker time of {query}. {description}.")))
    cost = costs(named.document["runs"])
    return [Block(named.title, (TEXT,), pictures, [cost] if cost else [])] if pictures or cost else []


def costs(runs: Sequence[Plain]) -> Table | None:
    """What runs cost, and how many of them the host or others disturbed: by query, engine, heuristic and workers,
    of right runs at full speed; None of runs that recorded no cost."""
    groups: dict[tuple[Any, ...], list[Plain]] = {}
    for run in runs:
        if run.get("cpu_seconds_per_million") is not None and verified(run) and not run.get("rate"):
            groups.setdefault(tuple(run.get(name) for name in POINT), []).append(run)
    return Table.of("What it cost, medians of the repeats", COSTS, groups.values()) if groups else None


def _median(name: str) -> Callable[[Sequence[Plain]], float]:
    return lambda runs: median(run[name] for run in runs)


def _disturbed(runs: Sequence[Plain]) -> Cell:
    flags = [run.get("disturbed") for run in runs]
    disturbed, unknown = flags.count(True), f", {flags.count(None)} not known" if None in flags else ""
    return Cell(f"{disturbed} of {len(runs)}{unknown}", disturbed, BAD if disturbed else "")


def _workers_shares(runs: Sequence[Plain]) -> str:
    shares = [sorted(run["worker_shares"], reverse=True) for run in runs if run.get("worker_shares")]
    return ", ".join(f"{median(each):.0%}" for each in zip(*shares, strict=True))


COSTS = (
    Column("query", lambda runs: runs[0]["query"]),
    Column("engine", lambda runs: scheme(runs[0])),
    number("workers", lambda runs: runs[0]["workers"]),
    number("CPU time per million tuples", _median("cpu_seconds_per_million"), duration),
    number("peak memory", _median("peak_memory_bytes"), lambda memory: f"{memory / MIB:,.0f} MiB"),
    number("disturbed", _disturbed),
    Column("workers' shares", _workers_shares),
)


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
    for place, stage in enumerate(stages):
        values = [each.get(stage, 0.0) for each in parts.values()]
        drawn = axes.barh(
            list(parts), values, left=list(begin.values()), height=0.7, color=COLOURS[place % len(COLOURS)],
            edgecolor="white", linewidth=0.5, label=stage,
        )  # fmt: skip
        labels = [f"{value:.0%}" if value >= TOLD else "" for value in values]
        axes.bar_label(drawn, labels, label_type="center", fontsize=8, color="white")
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


def _timeline(named: NamedDocument, drawing: Drawing) -> Block:
    run = named.document
    title = f"{run['query']}: {run['engine']}, {run['working']} worker{'s' * (run['working'] != 1)}"
    if "worker" in run["timeline"]:
        names = [stage["operators"][0] for stage in run["profile"]]
        serial = run["engine"] == "serial"
        of_run = lanes(run["timeline"], names, run["choices"], serial=serial, working=run["working"])
        figure, text = lanes_figure.draw(of_run, title), LANES
    else:
        names = [" + ".join(stage["operators"]) for stage in run["profile"]]
        figure, text = worklists.draw(run["timeline"], names, title), NO_LANES
    return Block(named.title, (text,), [Picture(drawing.svg(figure, f"Timeline of {title}. {text}"))])
