"""What a result file has measured of one configuration, by number of workers: to be laid beside what was simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.host.machine import title
from streambench.record import results

ALIKE = ("engine", "unit", "heuristic", "reorder", "partitioning", "partition_by", "fuse")


@dataclass(frozen=True)
class Point:
    """Medians over ``runs``: tuples a second, and the mean latency in seconds."""

    throughput: float
    latency: float
    runs: int


@dataclass(frozen=True)
class Measured:
    """``points`` by workers, of the result ``name``, measured on ``machine``."""

    name: str
    machine: str
    points: Mapping[int, Point]


def measured(path: Path, query: str, options: Options) -> Measured:
    """Raises StreambenchError for a file that cannot be read or has no right run of ``query`` with ``options``."""
    document = results.read(path)
    by: dict[int, list[Mapping[str, Any]]] = {}
    for run in document["runs"]:
        if run.get("query") == query and run.get("throughput") and _is_alike(run, options):
            by.setdefault(run["workers"], []).append(run)
    if not by:
        settled = settle(options)
        wanted = ", ".join(f"{name} {getattr(settled, name)}" for name in ALIKE)
        raise StreambenchError(f"{path} has no run of {query} with {wanted}: name another result, or other options.")
    points = {
        workers: Point(
            median(run["throughput"] for run in runs), median(run["latency"]["mean"] for run in runs), len(runs)
        )
        for workers, runs in sorted(by.items())
    }
    return Measured(path.name, title(document["machine"]), points)


def _is_alike(run: Mapping[str, Any], options: Options) -> bool:
    settled = settle(Options.of(options, workers=run["workers"]))
    return not run.get("rate") and all(run.get(name) == getattr(settled, name) for name in ALIKE)
