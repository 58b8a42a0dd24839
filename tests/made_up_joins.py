"""Result documents of `streambench bench joins` that nobody has measured."""

from __future__ import annotations

from typing import Any

from streambench.lab.record import results
from streambench.lab.record.join_summary import KIND

MACHINE = {"cpu": {"model": "Example 9000", "allowed": [0, 1], "hypervisor": "none"}}
SPEEDS = {"scan": 1e8, "index": 1e12}


def run(measure: str, join: str, tier: str, threads: int, window: float, repeat: int) -> dict[str, Any]:
    """A right run: twice the threads compare 1.9 times as much, a handshake join three quarters."""
    speed = SPEEDS[tier] * 1.9 ** (threads - 1) * (0.75 if join == "handshake" else 1) * (1 + repeat / 100)
    tuples = (speed / (2 * window)) ** 0.5
    return {
        "measure": measure,
        "join": join,
        "tier": tier,
        "threads": threads,
        "window_seconds": window,
        "window_tuples": round(tuples * window),
        "tuples": 1000,
        "repeat": repeat,
        "seconds": 1000 / tuples,
        "comparisons": 2000 * round(tuples * window),
        "comparisons_per_second": speed,
        "tuples_per_second": tuples,
        "cpu_seconds_per_million": threads / tuples * 1e6,
        "per_thread": [1000.0 + number for number in range(threads)],
        "per_thread_deviation": 0.05 * (threads - 1),
        "latency": {"p50": 1e-3, "p99": 5e-3, "max": 9e-3, "mean": 2e-3} if measure == "latency" else None,
        "rate": 0.8 * tuples if measure == "latency" else None,
        "sustainable_rate": 0.99 * tuples,
        "digest": "12ab",
        "reference": "12ab",
        "verified": True,
        "core_round_trip_ns": None if threads == 1 else 60.0,
    }


def study(name: str, threads: int = 2) -> dict[str, Any]:
    """A case study of four samples: 100 million pairs a second of each thread."""
    seconds = [0.5, 1.0, 1.5, 2.0]
    samples = {
        "seconds": seconds,
        "compared": [[int(1e8 * at) + number for number in range(threads)] for at in seconds],
        "rates": {"R1": [100.0, 120.0], "S1": [90.0, 80.0]},
    }
    made = run(f"skew {name}", "scale", "scan", threads, 2.0, 0)
    return {**made, "samples": samples, "sustainable_rate": None}


def gate(sources: int, readers: int, repeat: int) -> dict[str, Any]:
    """A gate's run: 5 million tuples a second of each source."""
    return {
        "measure": "gate",
        "join": "gate",
        "tier": "ring",
        "threads": sources + readers,
        "window_seconds": None,
        "sources": sources,
        "readers": readers,
        "tuples": 1000,
        "repeat": repeat,
        "seconds": 1000 / (5e6 * sources),
        "tuples_per_second": 5e6 * sources,
        "verified": True,
        "core_round_trip_ns": 60.0,
    }


def document(*joins: str, repeats: int = 7) -> dict[str, Any]:
    """Two tiers, two windows, one thread and two, at full speed and at a rate; gates; two case studies."""
    runs = [
        run(measure, join, tier, threads, window, repeat)
        for measure in ("throughput", "latency")
        for join in joins or ("scale",)
        for tier in SPEEDS
        for threads in (1, 2)
        for window in (300.0, 600.0)
        for repeat in range(repeats)
    ]
    runs += [gate(sources, readers, repeat) for sources in (1, 2) for readers in (1, 2) for repeat in range(repeats)]
    parameters = {"repeats": repeats, "load": 0.8}
    made = results.document(KIND, parameters, [*runs, study("8a"), study("8c")], MACHINE, [])
    return made | {"created": "2030-01-02T00:00:00+00:00", "version": "0.0.1", "git": "abc"}
