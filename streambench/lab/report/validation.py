"""Speed-ups that were simulated beside those that were measured, of the same configurations on the same machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from streambench.lab.record.run import Plain
from streambench.lab.record.summary import human
from streambench.lab.record.validation_summary import KIND, NAMED
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument, of_kind
from streambench.lab.report.panel import Line, Mark, Panel, pictures
from streambench.lab.report.section import Block, Table
from streambench.lab.show.table import Column, number, words

TEXT = (
    "Lines are real runs over workers. Hollow marks are the simulation of the same, from a profile run of one worker "
    "on this machine. Both are against what they give for one worker. The error is that of the throughput: above 0 the "
    "simulator says more than was measured."
)
SAME = tuple(name for name in NAMED if name != "workers")
COLUMNS = (
    *words("query", "engine"),
    number("workers", "workers"),
    number("measured", "measured", lambda value: f"{human(value)}/s"),
    number("speed-up", "speed_up", "{:.2f}".format),
    number("simulated speed-up", "simulated_speed_up", "{:.2f}".format),
    number("error of throughput", "error", "{:+.0%}".format),
    Column("disturbed", lambda row: {True: "yes", False: "no", None: "not known"}[row["disturbed"]]),
)


def blocks(documents: Sequence[NamedDocument], drawing: Drawing) -> Iterator[Block]:
    """Of comparisons with the simulator those configurations that ran with one worker and with more."""
    for each in of_kind(documents, KIND):
        rows = speed_ups(each.document["runs"])
        if rows:
            table = Table.of("Measured and simulated", COLUMNS, rows)
            yield Block(each.title, (TEXT,), pictures(drawing, _panels(rows)), (table,))


def speed_ups(runs: Sequence[Plain]) -> list[dict[str, Any]]:
    """A row for each right comparison of a configuration that has one with one worker, and one with more."""
    groups: dict[tuple[Any, ...], list[Plain]] = {}
    for run in runs:
        if run.get("sequence_ok"):
            groups.setdefault(tuple(run.get(name) for name in SAME), []).append(run)
    rows: list[dict[str, Any]] = []
    for found in groups.values():
        base = next((run for run in found if run["workers"] == 1), None)
        if base is not None and len(found) > 1:
            rows += [_row(run, base) for run in sorted(found, key=lambda run: run["workers"])]
    return rows


def _row(run: Plain, base: Plain) -> dict[str, Any]:
    measured = fmean(run["measured_throughput"])
    simulated = run["simulated_throughput"]
    return {
        **{name: run[name] for name in ("query", "engine", "workers", "disturbed")},
        "measured": measured,
        "speed_up": measured / fmean(base["measured_throughput"]),
        "simulated_speed_up": simulated / base["simulated_throughput"],
        "error": simulated / measured - 1,
    }


def _panels(rows: Sequence[Mapping[str, Any]]) -> Iterator[Panel]:
    """Of each engine, a line for each workload."""
    places = {count: float(at) for at, count in enumerate(sorted({row["workers"] for row in rows}), start=1)}
    ticks = [(place, str(count)) for count, place in places.items()]
    for engine in sorted({row["engine"] for row in rows}):
        lines = []
        for place, query in enumerate(dict.fromkeys(row["query"] for row in rows)):
            own = [row for row in rows if (row["engine"], row["query"]) == (engine, query)]
            measured, simulated = (
                [Mark(places[row["workers"]], row[name]) for row in own] for name in ("speed_up", "simulated_speed_up")
            )
            lines.append(Line(query, place, measured, simulated))
        yield Panel(f"{engine}, speed-up", "workers", "times one worker", lines, ticks, level=1.0, dodged=True)
