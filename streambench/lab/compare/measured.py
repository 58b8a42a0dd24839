"""The metrics of a result document of any kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from streambench.lab.compare.metric import ComparedPoint, Metric, Quantity, above_zero, collected
from streambench.lab.record import join_summary, peers_summary, topk_summary
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.perf_summary import TIMES
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.summary import verified
from streambench.lab.record.sweep_summary import title

BENCH, PERF = "bench", "perf"
COLUMNS = ("engine", "workers")
LAPS = "laps"  # a stream is repeated as often as the machine is fast, and what is compared is a rate
SETTINGS = tuple(name for name in CONFIGURATION if name not in (*COLUMNS, LAPS))
UNIT = "unit"  # a bench calibrates it, as the laps, where both have tried the same ones
JOIN_SETTINGS = ("join", "window_seconds", "sources", "readers")
TOPK_SETTINGS = ("source", "alpha", "failing", "epsilon", "rho", "sleep", "items", "query_every", "wait")
TOPK_DEFAULTS = {"source": "zipf", "rho": 0, "sleep": 0.0, "wait": 0.0}  # of results that are older than these
TUNED_DEFAULTS = {**TOPK_DEFAULTS, "rho": 500, "sleep": 50e-6}
QUANTILES = ("p50", "p90", "p99", "p999", "max")
MORE_IS_BETTER = re.compile(rf"per (core-)?second$|^{TIMES}$")  # units of series of `bench perf`


def metrics(document: Mapping[str, Any], settings: Collection[str] | None = None) -> list[Metric]:
    """``settings``: the options of a configuration that count, for results of versions that have not the same; else
    all."""
    kind, runs = document.get("kind"), document["runs"]
    if kind == PERF:
        return [each for case in runs for each in _of_case(case)]
    if kind == join_summary.KIND:
        rates = [_rate(name, _at_full_speed) for name in ("comparisons_per_second", "tuples_per_second")]
        work = Quantity("CPU s per million tuples", False, lambda run: run.get("cpu_seconds_per_million"))
        return collected(runs, _join_point, lambda run: bool(run["verified"]), [*rates, work, *_latencies()])
    if kind == topk_summary.KIND:
        plain = [run for run in runs if not run["instrumented"]]
        return collected(plain, _topk_point, lambda run: bool(run["verified"]), [_rate("updates_per_second")])
    if kind == peers_summary.KIND:
        return collected(runs, _peer_point, lambda run: bool(run["verified"]), [_rate("throughput"), *_latencies()])
    counting = [name for name in SETTINGS if settings is None or name in settings]

    def point(run: Run) -> ComparedPoint:
        named = tuple((name, run.get(name)) for name in counting)
        return ComparedPoint(title({"micro": None, **run}), run["engine"], run["workers"], named)

    return collected(runs, point, verified, [_rate("throughput"), *_latencies()])


def settings_of(*documents: Mapping[str, Any]) -> set[str]:
    """The options that the runs of all documents were recorded with, without those that each bench has calibrated."""
    known = [{name for run in each["runs"] for name in SETTINGS if name in run} for each in documents]
    tried = [each["parameters"].get("units_tried") for each in documents if each["kind"] == BENCH]
    alike = len(tried) == len(documents) and all(each == tried[0] for each in tried)
    return set.intersection(*known) - ({UNIT} if alike else set())


def _join_point(run: Run) -> ComparedPoint:
    named = tuple((name, run.get(name)) for name in JOIN_SETTINGS)
    return ComparedPoint(run["measure"], run["tier"], run.get("threads"), named)


def _topk_point(run: Run) -> ComparedPoint:
    older = TUNED_DEFAULTS if run["design"] == "auto-tuned" else TOPK_DEFAULTS
    named = tuple((name, run.get(name, older.get(name))) for name in TOPK_SETTINGS)
    return ComparedPoint("top-k", run["design"], run["threads"], named)


def _peer_point(run: Run) -> ComparedPoint:
    return ComparedPoint(run["query"], run["peer"], run["workers"])


def _at_full_speed(run: Run) -> bool:
    """Is the rate of a join what it can take? Elsewhere it is the rate at which it was given tuples."""
    measure = str(run["measure"])
    return measure == join_summary.GATE or measure.endswith("throughput")


def _rate(name: str, counts: Callable[[Run], bool] = lambda run: True) -> Quantity:
    told_as = name.replace("_per_second", "/s").replace("throughput", "tuples/s")
    return Quantity(told_as, True, lambda run: run.get(name) if counts(run) else None)


def _latencies() -> list[Quantity]:
    def of(name: str, kind: str, called: str) -> Quantity:
        return Quantity(name + called, False, lambda run: (run.get(kind) or {}).get(name))

    kinds = (("latency", ""), ("latency_end_to_end", " from arrival"))
    return [of(name, *kind) for kind in kinds for name in QUANTILES]


def _of_case(case: Run) -> list[Metric]:
    """A series is a metric. More of a rate or a speed-up is better, of times, sizes and shares less."""
    return [
        Metric(
            ComparedPoint(case["section"], case["case"], None),
            each["name"],
            MORE_IS_BETTER.search(each["unit"]) is not None,
            above_zero(each["values"]),
            len(each["values"]),
            0,
        )
        for each in case["series"]
    ]
