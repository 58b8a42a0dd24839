"""What runs cost, and how many of them the host or others disturbed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from streambench.lab.record.peers_summary import MIB
from streambench.lab.record.summary import duration, verified
from streambench.lab.report.section import BAD, Cell, Table, words

Run = Mapping[str, Any]

NUMBERS = ("workers", "CPU time per million tuples", "peak memory", "disturbed")


def table(runs: Sequence[Run]) -> Table | None:
    """By query, engine and workers, of right runs at full speed; None of runs that recorded no cost."""
    groups: dict[tuple[str, str, int], list[Run]] = {}
    for run in runs:
        if run.get("cpu_seconds_per_million") is not None and verified(run) and not run.get("rate"):
            groups.setdefault((run["query"], run["engine"], run["workers"]), []).append(run)
    if not groups:
        return None
    columns = ("query", "engine", *NUMBERS, "workers' shares")
    return Table("What it cost, medians of the repeats", columns, [_cells(*each) for each in groups.items()], NUMBERS)


def _cells(point: tuple[str, str, int], runs: Sequence[Run]) -> list[Cell]:
    query, engine, workers = point
    cost = median(run["cpu_seconds_per_million"] for run in runs)
    memory = median(run["peak_memory_bytes"] for run in runs)
    told = [run.get("disturbed") for run in runs]
    disturbed, unknown = told.count(True), f", {told.count(None)} not known" if None in told else ""
    shares = [sorted(run["worker_shares"], reverse=True) for run in runs if run.get("worker_shares")]
    parts = [median(each) for each in zip(*shares, strict=True)]
    return [
        *words(query, engine),
        Cell(str(workers), workers),
        Cell(duration(cost), cost),
        Cell(f"{memory / MIB:,.0f} MiB", memory),
        Cell(f"{disturbed} of {len(runs)}{unknown}", disturbed, BAD if disturbed else ""),
        *words(", ".join(f"{part:.0%}" for part in parts)),
    ]
