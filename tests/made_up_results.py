"""A made-up result of each kind that a report has a section for."""

from __future__ import annotations

from typing import Any

import made_up_joins
import made_up_perf
import made_up_sweep
import made_up_topk

from streambench.lab.record import results

Document = dict[str, Any]


def bench(speed: float = 1.9, *, wrong: bool = False, rates: tuple[float, ...] = ()) -> Document:
    """q1 on 1 and 2 workers, nine repeats. ``speed``: of two workers over the serial engine; ``wrong``: theirs were.

    ``rates``: at which two workers also ran, in an open loop.
    """
    runs = made_up_sweep.serial(query="q1")
    ordered = {
        "engine": "ordered",
        "heuristic": None,
        "reorder": None,
        "partitioning": None,
        "unit": None,
        "fuse": True,
    }
    runs += made_up_sweep.runs(0.99e6, workers=1, **ordered)
    runs += made_up_sweep.runs(speed * 1e6, workers=2, right=not wrong, **ordered)
    for rate in rates:
        runs += made_up_sweep.runs(rate, 1e-4 / (1 - rate / 2e6), workers=2, rate=rate, **ordered)
    for run in runs:
        if run["latency"]:
            middle = run["latency"]["p50"]
            run["latency"] |= {
                name: middle * times for name, times in (("p90", 2), ("p99", 4), ("p999", 8), ("max", 20))
            }
    parameters = {"scale_factor": 0.5, "repeats": 9, "data": "sf0.5"}
    found = results.document("bench", parameters, runs, made_up_sweep.machine(2), ["others were at work"])
    return found | {"created": "2030-01-02T00:00:00+00:00", "git": "0123456789ab"}


def rate_search() -> Document:
    """q1 on two workers at full speed and at three rates, of which the highest misses a bound of 5 ms."""
    runs = bench(rates=(1e5, 4e5, 8e5))["runs"]
    runs = [run for run in runs if run["engine"] == "ordered" and run["workers"] == 2]
    for run in runs:
        rate = run["rate"]
        wait = dict.fromkeys(("mean", "p50", "p90", "p99", "p999", "max"), 1e-3 if rate < 5e5 else 2e-2)
        run |= {"step": "search" if rate else "full speed", "bound": {"quantile": "p99", "seconds": 5e-3}, "why": None}
        run |= {"latency_end_to_end": wait if rate else None, "met": rate < 5e5 if rate else None}
    return dated("rate-search", runs, 4)


def peers() -> Document:
    """Three engines on q1, one of them wrong."""
    runs = [
        {
            **{"query": "q1", "peer": peer, "version": "1.0", "configuration": "2 threads", "streams": False},
            **{"order": "total", "guarantees": "the order of its input", "workers": 2, "tuples": 1000},
            **{"start_seconds": 0.5, "first_seconds": 1.0, "peak_memory": 1 << 28, "repeat": repeat},
            **{"laps": 1, "pass_seconds": 1e-3},
            "verified": peer != "other",
            "problem": "another answer" if peer == "other" else None,
            "seconds": 1e-3,
            "throughput": None if peer == "other" else speed * (1 + repeat / 100),
            "latency": {"p50": 1e-3, "p99": 2e-3, "max": 3e-3} if peer == "ordered" else None,
        }
        for peer, speed in (("ordered", 2e6), ("duckdb", 3e6), ("other", 1e6))
        for repeat in range(7)
    ]
    return dated("peers", runs, 5)


def gate() -> Document:
    """A gate that cannot tell."""
    runs = [{"query": "q1", "phase": "A/B", "side": "base", "pair": 0, "throughput": 1e6, "verified": True}]
    ratio = {"median": 0.97, "low": 0.9, "high": 1.05, "n": 9, "coverage": 0.95}
    row = {"query": "q1", "metric": "throughput", "base": 1e6, "new": 9.7e5, "ratio": ratio, "limit": 0.95}
    found = dated("gate", runs, 6)
    found["parameters"] |= {"base": "0123456789abcdef", "new": "fedcba9876543210"}
    return found | {
        **{"outcome": "inconclusive", "problem": None},
        "verdicts": [row | {"wanted_limit": 0.97, "verdict": "cannot tell"}],
    }


def dated(kind: str, runs: list[dict[str, Any]], day: int) -> Document:
    found = results.document(kind, {"repeats": 9}, runs, made_up_sweep.machine(2), [])
    return found | {"created": f"2030-01-0{day}T00:00:00+00:00"}


def every() -> dict[str, Document]:
    """By the name of a file: two benches on one machine, and one of every other kind."""
    newer = bench(2.1, rates=(2e5, 1e6)) | {"created": "2030-01-03T00:00:00+00:00"}
    return {
        "older.json": bench(),
        "newer.json": newer,
        "sweep.json": made_up_sweep.document(made_up_sweep.light()),
        "perf.json": made_up_perf.document(),
        "join.json": made_up_joins.document(repeats=1),
        "topk.json": made_up_topk.document(repeats=1),
        "rate-search.json": rate_search(),
        "peers.json": peers(),
        "gate.json": gate(),
    }
