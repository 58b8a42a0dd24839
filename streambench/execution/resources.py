"""What a run cost, and what happened beside it, as plain values: what every result says of every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streambench.execution.measurement import Measurement
from streambench.host import disturbance
from streambench.host.disturbance import CoreTime

NAMES = ("cpu_seconds", "cpu_seconds_per_million", "worker_cpu_seconds", "worker_shares", "disturbed", "host")

Account = tuple[int, int, int]
"""Of a worker: ns on a core, voluntary and involuntary switches; see ``streambench.pyx.engine.crew``."""
Distances = tuple[float | None, float | None]
"""A cache line's round trip between the cores before and after a run, ns; None where it was not taken."""


def resources(measured: Measurement, distances: Distances = (None, None)) -> dict[str, Any]:
    """Of an execution.

    ``disturbed`` is None where it cannot be told; ``host`` is what ``disturbance.beside`` says.
    """
    assert measured.before is not None
    assert measured.after is not None
    between = measured.before, measured.after
    return account(measured.accounts, measured.worker_shares, measured.tuples, between, distances)


def account(
    accounts: Sequence[Account],
    shares: Sequence[float],
    tuples: int,
    between: tuple[CoreTime, CoreTime],
    distances: Distances,
) -> dict[str, Any]:
    """Of a crew that has taken so many ``tuples`` between two moments. ``shares``: each worker's part of the work."""
    cpu = [cpu_ns * 1e-9 for cpu_ns, *_ in accounts]
    host = disturbance.beside(*between, [(asked, forced) for _, asked, forced in accounts], distances)
    return {
        "cpu_seconds": sum(cpu),
        "cpu_seconds_per_million": sum(cpu) / tuples * 1e6 if tuples else None,
        "worker_cpu_seconds": cpu,
        "worker_shares": list(shares),
        "disturbed": host["disturbed"],
        "host": host,
    }


def unknown() -> dict[str, Any]:
    """Of a run that failed."""
    return dict.fromkeys(NAMES)
