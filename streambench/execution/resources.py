"""What a run cost, and what happened beside it, as plain values: what every result says of every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streambench.execution.measurement import Measurement
from streambench.host import disturbance
from streambench.host.meanwhile import Meanwhile

NAMES = (
    *("cpu_seconds", "cpu_seconds_per_million", "worker_cpu_seconds", "worker_shares"),
    *("memory_before_bytes", "peak_memory_bytes", "disturbed", "host"),
)

Account = tuple[int, int, int]
"""Of a worker: ns on a core, voluntary and involuntary switches; see ``streambench.pyx.engine.crew``."""
Distances = tuple[float | None, float | None]
"""A cache line's round trip between the cores before and after a run, ns; None where it was not taken."""


def resources(measured: Measurement, distances: Distances = (None, None)) -> dict[str, Any]:
    """Of an execution.

    ``disturbed`` is None where it cannot be told; ``host`` is what ``disturbance.beside`` says.
    """
    assert measured.meanwhile is not None
    return account(measured.accounts, measured.worker_shares, measured.tuples, measured.meanwhile, distances)


def account(
    accounts: Sequence[Account],
    shares: Sequence[float],
    tuples: int,
    meanwhile: Meanwhile,
    distances: Distances = (None, None),
) -> dict[str, Any]:
    """Of a crew that has taken so many ``tuples``. ``shares``: each worker's part of the work."""
    cpu = [cpu_ns * 1e-9 for cpu_ns, *_ in accounts]
    switches = [(voluntary, forced) for _, voluntary, forced in accounts]
    host = disturbance.beside(meanwhile.before, meanwhile.after, switches, distances)
    return {
        "cpu_seconds": sum(cpu),
        "cpu_seconds_per_million": sum(cpu) / tuples * 1e6 if tuples else None,
        "worker_cpu_seconds": cpu,
        "worker_shares": list(shares),
        "memory_before_bytes": meanwhile.memory_before,
        "peak_memory_bytes": meanwhile.peak_memory,
        "disturbed": host["disturbed"],
        "host": host,
    }


def unknown() -> dict[str, Any]:
    """Of a run that failed."""
    return dict.fromkeys(NAMES)
