"""The metrics of a result document of any kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from streambench.compare.metric import Metric, Point, Quantity, Run, collected
from streambench.execution.configuration import CONFIGURATION
from streambench.record import join_summary, peers_summary, topk_summary
from streambench.record.summary import verified
from streambench.record.sweep_summary import title

PERF = "perf"
COLUMNS = ("engine", "workers")
LAPS = "laps"  # a stream is repeated as often as the machine is fast, and what is compared is a rate
SETTINGS = tuple(name for name in CONFIGURATION if name not in (*COLUMNS, LAPS))
JOIN_SETTINGS = ("join", "window_seconds", "sources", "readers")
TOPK_SETTINGS = ("alpha", "failing", "epsilon", "items", "query_every")
QUANTILES = ("p50", "p90", "p99", "p999", "max")


def metrics(document: Mapping[str, Any], settings: Collection[str] | None = None) -> list[Metric]:
    """``settings``: the options of a configuration that count, for results of versions that have not the same; else
    all."""
    kind, runs = document.get("kind"), document["runs"]
    if kind == PERF:
        return [each for case in runs for each in _of_case(case)]
    if kind == join_summary.KIND:
        rates = [_rate("comparisons_per_second"), _rate("tuples_per_second")]
        return collected(runs, _join_point, lambda run: bool(run["verified"]), [*rates, *_latencies()])
    if kind == topk_summary.KIND:
        plain = [run for run in runs if not run["instrumented"]]
        return collected(plain, _topk_point, lambda run: bool(run["verified"]), [_rate("updates_per_second")])
    if kind == peers_summary.KIND:
        return collected(runs, _peer_point, lambda run: bool(run["verified"]), [_rate("throughput"), *_latencies()])
    counting = [name for name in SETTINGS if settings is None or name in settings]

    def point(run: Run) -> Point:
        named = tuple((name, run.get(name)) for name in counting)
        return Point(title({"micro": None, **run}), run["engine"], run["workers"], named)

    return collected(runs, point, verified, [_rate("throughput"), *_latencies()])


def settings_of(document: Mapping[str, Any]) -> set[str]:
    """The options that its runs were recorded with."""
    return {name for run in document["runs"] for name in SETTINGS if name in run}


def _join_point(run: Run) -> Point:
    named = tuple((name, run.get(name)) for name in JOIN_SETTINGS)
    return Point(run["measure"], run["tier"], run.get("threads"), named)


def _topk_point(run: Run) -> Point:
    named = tuple((name, run.get(name)) for name in TOPK_SETTINGS)
    return Point("heavy hitters", run["design"], run["threads"], named)


def _peer_point(run: Run) -> Point:
    return Point(run["query"], run["peer"], run["workers"])


def _rate(name: str) -> Quantity:
    return Quantity(
        name.replace("_per_second", "/s").replace("throughput", "tuples/s"), True, lambda run: run.get(name)
    )


def _latencies() -> list[Quantity]:
    def of(name: str) -> Quantity:
        return Quantity(name, False, lambda run: (run.get("latency") or {}).get(name))

    return [of(name) for name in QUANTILES]


def _of_case(case: Run) -> list[Metric]:
    """A series is a metric. More of a rate is better, of times, sizes and shares less."""
    return [
        Metric(
            Point(case["section"], case["case"], None),
            each["name"],
            each["unit"].endswith("per second"),
            tuple(each["values"]),
            len(each["values"]),
            0,
        )
        for each in case["series"]
        if all(value > 0 for value in each["values"])
    ]
