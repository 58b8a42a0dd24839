"""Latency over load: of every result with runs at a rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from streambench.figures.lines import plain, seconds
from streambench.record.statistics import summary
from streambench.record.summary import verified
from streambench.record.sweep_summary import title
from streambench.report.given import Given
from streambench.report.inline_svg import Drawing
from streambench.report.panel import Line, Mark, Panel, draw, told
from streambench.report.section import Block, Picture, Section

Run = Mapping[str, Any]

QUANTILES = ("p50", "p99")
TEXT = (
    "Tuples arrive at a rate, whether or not the pipeline keeps up, and latency counts from when a tuple was due: a "
    "stall is not hidden. Only right runs are drawn."
)


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None where nothing ran at a rate."""
    blocks = []
    for each in given:
        runs = [run for run in each.document.get("runs", ()) if run.get("rate") and "query" in run and verified(run)]
        panels = [_panel(name, found) for name, found in _grouped(runs, lambda run: title({"micro": None, **run}))]
        pictures = [Picture(drawing.svg(draw(panel), told(panel))) for panel in panels if panel.lines]
        if pictures:
            blocks.append(Block(each.title, (TEXT,), pictures))
    return Section("load", "Latency over load", blocks) if blocks else None


def waited(run: Run) -> Mapping[str, float]:
    """Latency from the scheduled arrival where that was recorded, else processing latency."""
    found: Mapping[str, float] = run.get("latency_end_to_end") or run.get("latency") or {}
    return found


def _panel(name: str, runs: Sequence[Run]) -> Panel:
    lines: list[Line] = []
    for how, group in _grouped(runs, lambda run: f"{run['engine']} {run['workers']}"):
        for quantile in QUANTILES:
            marks = [
                _mark(rate, values)
                for rate, at in sorted(_grouped(group, lambda run: float(run["rate"])))
                if (values := _values(at, quantile))
            ]
            if marks:
                lines.append(Line(f"{how}, {quantile}", len(lines), marks))
    return Panel(name, "offered tuples per second", "latency", lines, log=True, unit=seconds, x_unit=plain)


def _mark(rate: float, values: Sequence[float]) -> Mark:
    found = summary(values)
    low, high = (None, None) if found.coverage is None else (found.low, found.high)
    return Mark(rate, found.median, low, high, tuple(values))


def _values(runs: Iterable[Run], quantile: str) -> list[float]:
    values = (waited(run).get(quantile) for run in runs)
    return [value for value in values if value is not None and math.isfinite(value) and value > 0]


def _grouped(runs: Iterable[Run], key: Any) -> list[tuple[Any, list[Run]]]:
    found: dict[Any, list[Run]] = {}
    for run in runs:
        found.setdefault(key(run), []).append(run)
    return list(found.items())
