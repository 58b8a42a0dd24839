"""What a result file has measured of one configuration, by number of workers: to be laid beside what was simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import Settled, settle
from streambench.lab.data.data_description import difference
from streambench.lab.host.machine import title
from streambench.lab.record import results, simulation_summary

KINDS = ("bench", "sweep")
BOTH = ("engine", "unit", "partitions", "partition_by", "credit", "preload", "trace")
OF_ENGINE = {
    "ordered": (*BOTH, "plan", "latency_target"),
    "schemes": (
        *(*BOTH, "heuristic", "reorder", "partitioning", "routing"),
        *("capacity", "time_slice", "window", "fuse"),
    ),
}
"""What has to be alike. Laps, markers and places of workers are not: a simulated stream may be shorter."""


@dataclass(frozen=True)
class MeasuredPoint:
    """Medians over ``runs``: tuples a second, and the mean latency in seconds."""

    throughput: float
    latency: float
    runs: int


@dataclass(frozen=True)
class Measured:
    """``points`` by workers, of the result ``name``, measured on ``machine``."""

    name: str
    machine: str
    points: Mapping[int, MeasuredPoint]


def measured(
    path: Path, query: str, options: Options, data: Mapping[str, Any], parameter_set: str | None = None
) -> Measured:
    """Those of ``query`` with ``options``, over ``data`` as ``data_description.describe`` tells of it, and with the
    query's ``parameter_set`` (None: it has none), by workers that had a core each.

    Raises StreambenchError for a file that cannot be read, was not measured, or has no such run.
    """
    document = results.read(path)
    _require_measured(path, document)
    parameters = document["parameters"]
    with results.whole(path, "its data are not told"):
        other = difference(parameters, data)
    if other is not None:
        raise StreambenchError(f"{path} is of other data, {other}: name another result, or simulate over its data.")
    if parameter_set is not None and parameters.get("parameter_set", parameter_set) != parameter_set:
        raise StreambenchError(
            f"{path} is of the parameters {parameters['parameter_set']}, not {parameter_set}: name another result, or "
            "others."
        )
    with results.whole(path, "its runs cannot be laid beside what is simulated"):
        points = _points(document, query, options)
    if not points:
        raise StreambenchError(
            f"{path} has no run of {query} with {_asked(options)}, and a core for each worker: name another result, or "
            "other options."
        )
    return Measured(path.name, title(document["machine"]), points)


def _points(document: Mapping[str, Any], query: str, options: Options) -> dict[int, MeasuredPoint]:
    cores = len(document["machine"]["cpu"]["allowed"])
    by: dict[int, list[Mapping[str, Any]]] = {}
    for run in document["runs"]:
        of_query = run.get("query") == query and run.get("throughput") and not run.get("rate")
        if of_query and 0 < run["workers"] <= cores and _is_alike(run, options):
            by.setdefault(run["workers"], []).append(run)
    return {workers: _point(runs) for workers, runs in sorted(by.items())}


def _point(runs: list[Mapping[str, Any]]) -> MeasuredPoint:
    throughputs = [float(run["throughput"]) for run in runs]
    latencies = [float(run["latency"]["mean"]) for run in runs]
    return MeasuredPoint(median(throughputs), median(latencies), len(runs))


def _require_measured(path: Path, document: Mapping[str, Any]) -> None:
    kind, names = document.get("kind"), " or ".join(KINDS)
    if kind not in (*KINDS, simulation_summary.KIND):
        raise StreambenchError(f"{path} is a result of {kind}: name one of {names}.")
    if kind == simulation_summary.KIND or any(run.get("simulated") for run in document["runs"]):
        raise StreambenchError(f"{path} was simulated, not measured: name a result of {names}.")


def _is_alike(run: Mapping[str, Any], options: Options) -> bool:
    workers = run["workers"]
    # As they are simulated: with a core for each worker, however many there are here.
    settled = settle(Options.of(options, workers=workers, engine=options.named_engine), workers)
    return all(run.get(name) == getattr(settled, name) for name in _that_count(settled))


def _that_count(settled: Settled) -> tuple[str, ...]:
    """Of what its engine has, what changes something."""
    idle = {"capacity"} if settled.heuristic != "qst" else set()
    if settled.unit is not None:
        idle.add("latency_target")  # of the unit that is chosen
    return tuple(name for name in OF_ENGINE.get(settled.engine, BOTH) if name not in idle)


def _asked(options: Options) -> str:
    """In words: without what was left open and depends on the workers."""
    settled = settle(options)
    by_workers = {"partitions", "credit", "capacity"}
    names = [name for name in _that_count(settled) if name not in ("preload", "trace")]
    names_in_document = [name for name in names if name not in by_workers or getattr(options, name) is not None]
    return ", ".join(
        f"{name} {'chosen while it runs' if getattr(settled, name) is None else getattr(settled, name)}"
        for name in names_in_document
    )
