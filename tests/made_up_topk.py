"""Result documents of `streambench bench topk` that nobody has measured."""

from __future__ import annotations

from typing import Any

from made_up_joins import MACHINE

from streambench.lab.record import results
from streambench.lab.record.topk_summary import KIND

SPEEDS = {
    "shared": 2e6,
    "shared-blocking": 1.5e6,
    "cooperative": 6e6,
    "auto-tuned": 5.76e6,
    "independent": 2e7,
    "fast": 4e8,
}
SYNCHRONISATION = {"shared": 6.0, "shared-blocking": 9.0, "cooperative": 0.5, "auto-tuned": 0.5, "independent": 0.0}
PARAMETERS = {"items": 1_000_000}
FAILING = ("shared", "shared-blocking", "cooperative")  # where reads may fail
EPSILONS, RHOS = (0.0001, 0.01), (500, 50)


def run(
    design: str,
    threads: int,
    alpha: float | None,
    repeat: int,
    *,
    failing: float = 0.0,
    instrumented: bool = False,
    epsilon: float = 0.0001,
    rho: int = 0,
    query_every: int | None = None,
    source: str = "zipf",
) -> dict[str, Any]:
    """A right run: cooperation is three times as fast as the shared design; reads that fail slow it alone. Half the ε
    takes twice the memory and has half the error."""
    speed = SPEEDS[design] * (1 + repeat / 100) * (1 - failing if design == "cooperative" else 1)
    seconds = threads * 1e6 / speed
    every = query_every if query_every is not None else 50_000 if design == "independent" else 0
    profile = {
        "hash": 2.0,
        "element_synchronisation": SYNCHRONISATION.get(design, 0.0),
        "queue": 3.0 / (alpha or 1) if design in ("cooperative", "auto-tuned") else 0.0,
        "merge": 1.0 * threads if design == "independent" else 0.0,
        "rest": 1.5,
    }
    statistics = {"delegated share": 0.05 * (alpha or 1), "average queue": 20.0 / (alpha or 1), "largest queue": 400.0}
    return {
        "design": design,
        "threads": threads,
        "alpha": alpha,
        "source": source,
        "failing": failing,
        "instrumented": instrumented,
        "epsilon": epsilon,
        "rho": rho,
        "sleep": 5e-5 if rho else 0.0,
        "items": PARAMETERS["items"],
        "query_every": every,
        "repeat": repeat,
        "seconds": seconds,
        "updates_per_second": speed,
        "queries": 20 if every else 0,
        "query_latency": {"p50": 1e-4 * threads, "p99": 1e-3, "max": 2e-3} if every else None,
        "stale_items": {"p50": 0.0, "p99": 1024.0 * threads, "max": 9999} if every else None,
        "summary_bytes": int(100 / epsilon),
        "error_bound": epsilon / 2,
        "frequent_items": 40,
        "precision": 0.5 if epsilon > 0.001 else 1.0,
        "recall": 1.0,
        "relative_error": 10 * epsilon,
        "profile": profile if instrumented else None,
        "statistics": statistics if instrumented else None,
        "problem": None,
        "verified": True,
        "core_round_trip_ns": 60.0,
        "unpinned": [],
    }


def document(repeats: int = 7) -> dict[str, Any]:
    """Six designs, three values of α, two numbers of streams, profiles, reads that fail, two of ε and of ρ."""
    runs = [
        run(design, threads, alpha, repeat, failing=failing, instrumented=instrumented, epsilon=epsilon, rho=rho)
        for alpha in (0.5, 1.5, 2.5)
        for epsilon in EPSILONS
        for threads in (4, 8)
        for design in SPEEDS
        for failing, instrumented in ((0.0, False), (0.0, True), (0.5, False))
        if not (instrumented and design == "fast") and not (failing and design not in FAILING)
        for rho in (RHOS if design == "auto-tuned" else (0,))
        for repeat in range(repeats)
    ]
    runs += [
        run(design, threads, 1.5, repeat, query_every=50_000, rho=500 if design == "auto-tuned" else 0)
        for threads in (4, 8)
        for design in SPEEDS
        if design != "independent"
        for repeat in range(repeats)
    ]
    runs += [
        run(design, threads, None, repeat, source=source, epsilon=epsilon, rho=500 if design == "auto-tuned" else 0)
        for source in ("items", "pages")
        for epsilon in EPSILONS
        for threads in (4, 8)
        for design in SPEEDS
        for repeat in range(repeats)
    ]
    made = results.document(KIND, {"repeats": repeats, **PARAMETERS}, runs, MACHINE, [])
    return made | {"created": "2030-01-02T00:00:00+00:00", "version": "0.0.1", "git": "abc"}
