"""Latency over load: of every result with runs at a rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from streambench.lab.figures.lines import plain, seconds
from streambench.lab.record import rate_search_summary
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.rate_search_summary import SUSTAINS, label, scheme, sustains
from streambench.lab.record.run import Plain
from streambench.lab.record.statistics import summary
from streambench.lab.record.summary import duration, human, verified
from streambench.lab.record.sweep_summary import title
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument
from streambench.lab.report.panel import Line, Mark, Panel, pictures
from streambench.lab.report.section import Block, Table, right_or_wrong
from streambench.lab.show.table import Cell, Column, number, words

QUANTILES = ("p50", "p99")
TEXT = (
    "Tuples arrive at a rate, whether or not the pipeline keeps up, and latency counts from when a tuple was due: a "
    "stall is not hidden. Only right runs are drawn."
)
SEARCHED = (
    "The line across is the bound. The table has the highest rate that met it and the lowest that missed it; in "
    "brackets stands where the rate lies at which a run meets the bound half of the time, as all runs tell it."
)


def blocks(documents: Sequence[NamedDocument], drawing: Drawing) -> Iterator[Block]:
    """Of results that ran anything at a rate."""
    for each in documents:
        runs = [run for run in each.document.get("runs", ()) if run.get("rate") and "query" in run and verified(run)]
        searched = each.kind == rate_search_summary.KIND
        panels = [_panel(name, group) for name, group in _grouped(runs, lambda run: title({"micro": None, **run}))]
        drawn = pictures(drawing, panels)
        tables = [_sustained(each.document["summary"])] if searched else []
        if drawn or tables:
            yield Block(each.title, (TEXT, SEARCHED) if searched else (TEXT,), drawn, tables)


def waited(run: Plain) -> Mapping[str, float]:
    """Latency from the scheduled arrival where that was recorded, else processing latency."""
    latency: Mapping[str, float] = run.get("latency_end_to_end") or run.get("latency") or {}
    return latency


def _sustained(rows: Sequence[Plain]) -> Table:
    """The highest rate within the bound, of each query, engine, heuristic and number of workers."""
    bound = rows[0]["bound"]
    title = f"Highest rate with {label(bound['quantile'])} within {duration(bound['seconds'])} of arrival"
    columns = (
        *words("query"),
        Column("engine", scheme),
        number("workers", "workers"),
        number(SUSTAINS, lambda row: Cell(sustains(row) if row["verified"] else "", row["sustainable_rate"])),
        number("misses at", "missed_rate", _per_second, none=""),
        number("full speed", "full_speed", _per_second, none=""),
        Column("verified", right_or_wrong),
    )
    return Table.of(title, columns, rows)


def _per_second(rate: float) -> str:
    return f"{human(rate)}/s"


def _panel(name: str, runs: Sequence[Plain]) -> Panel:
    """Of a workload; of a search with its bound and the bound's quantile."""
    lines: list[Line] = []
    bound = runs[0].get("bound") or {}
    for how, group in _configurations(runs):
        for quantile in dict.fromkeys((QUANTILES[0], bound.get("quantile", QUANTILES[1]))):
            marks = [
                _mark(rate, values)
                for rate, at in sorted(_grouped(group, lambda run: float(run["rate"])))
                if (values := _values(at, quantile))
            ]
            if marks:
                lines.append(Line(f"{how}, {label(quantile)}", len(lines), marks))
    return Panel(
        name, "offered tuples per second", "latency", lines,
        log=True, unit=seconds, x_unit=plain, level=bound.get("seconds"),
    )  # fmt: skip


def _configurations(runs: Sequence[Plain]) -> Iterator[tuple[str, list[Plain]]]:
    """By engine, heuristic and workers, and by whatever else runs of these differ in, but for the rate, what comes of
    it, and the repeat's seed."""
    for name, group in _grouped(runs, lambda run: f"{scheme(run)} {run['workers']}"):
        others = [
            each
            for each in CONFIGURATION
            if each not in ("rate", "laps", "arrival_seed")
            and len(_grouped(group, lambda run, each=each: run.get(each))) > 1
        ]
        for values, alike in _grouped(group, lambda run, others=others: tuple(run.get(each) for each in others)):
            told = (f"{each.replace('_', ' ')} {value}" for each, value in zip(others, values, strict=True))
            yield ", ".join((name, *told)), alike


def _mark(rate: float, values: Sequence[float]) -> Mark:
    return Mark.of(rate, summary(values), tuple(values))


def _values(runs: Iterable[Plain], quantile: str) -> list[float]:
    values = (waited(run).get(quantile) for run in runs)
    return [value for value in values if value is not None and math.isfinite(value) and value > 0]


def _grouped(runs: Iterable[Plain], key: Any) -> list[tuple[Any, list[Plain]]]:
    groups: dict[Any, list[Plain]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return list(groups.items())
