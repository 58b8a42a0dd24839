"""A made-up result of each kind that a report has a section for."""

from __future__ import annotations

from typing import Any

import made_up_joins
import made_up_perf
import made_up_sweep
import made_up_topk

from streambench.record import results

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


def peers() -> Document:
    """Three engines on q1, one of them wrong."""
    runs = [
        {
            "query": "q1",
            "peer": peer,
            "version": "1.0",
            "configuration": "2 threads",
            "guarantees": "total order",
            "verified": peer != "other",
            "throughput": None if peer == "other" else speed * (1 + repeat / 100),
            "start_seconds": 0.5,
            "peak_memory": 1 << 28,
            "latency": {"p50": 1e-3, "p99": 2e-3} if peer == "streambench" else None,
            "repeat": repeat,
        }
        for peer, speed in (("streambench", 2e6), ("duckdb", 3e6), ("other", 1e6))
        for repeat in range(7)
    ]
    found = results.document("perf", {"repeats": 7}, [], made_up_sweep.machine(2), [])
    return found | {"kind": "peers", "runs": runs, "created": "2030-01-05T00:00:00+00:00"}


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
        "peers.json": peers(),
    }
