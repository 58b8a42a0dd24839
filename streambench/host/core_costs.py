"""What a run's cores take to share: measured in about a millisecond, for the cost model of `ordered`.

By the simulator's primitives, in short rounds of which the least or the middle one counts: whoever takes a core
meanwhile only ever adds. Where somebody has a core for good, nothing is measured, and the controller goes by what it
assumes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from statistics import fmean

from streambench.host.limits import allowed_cpus
from streambench.pyx.machine.core_distance import short_round_trip_ns
from streambench.pyx.machine.primitives import stream_line_ns

LINE_BYTES = 64
PATIENCE = 1_000_000  # ns of each measurement: with 3 ms the caller itself lost its core beside others
ROUNDS = 8  # of a buffer of 64 KiB
LASTING = 10.0  # seconds: a host moves virtual cores within minutes
BOUNDS = {"line": (5.0, 1000.0), "byte": (0.005, 1.0)}  # ns; what is beyond was disturbed: no plan shall be absurd

_lock = threading.Lock()
_known: dict[tuple[int, ...], tuple[float, dict[str, float] | None]] = {}


def known(cores: Sequence[int]) -> dict[str, float] | None:
    """Of ``cores`` in the order of their workers: ns of a cache ``line``'s way from one to another, and for each
    ``byte`` of a buffer that another has written. None: not measured.

    The mean of the way from the first core to the second and to the last. What was measured holds for ``LASTING``
    seconds, and for as long again where it cannot be measured anew.
    """
    if len(cores) < 2:
        return None
    pairs = tuple(sorted({(cores[0], cores[1]), (cores[0], cores[-1])}))
    key = tuple(core for pair in pairs for core in pair)
    with _lock:
        at, costs = _known.get(key, (-LASTING, None))
        if time.monotonic() - at >= LASTING:
            costs = measure(pairs) or costs
            _known[key] = time.monotonic(), costs
        return costs


def measure(pairs: Sequence[tuple[int, int]]) -> dict[str, float] | None:
    """The same of these pairs of cores, measured now."""
    try:
        line = fmean(short_round_trip_ns(*pair, PATIENCE) / 2 for pair in pairs)
        byte = fmean(stream_line_ns(*pair, ROUNDS, PATIENCE) / LINE_BYTES for pair in pairs)
    except (TimeoutError, RuntimeError):  # somebody has a core, or no thread can be started
        return None
    return {"line": _bounded("line", line), "byte": _bounded("byte", byte)}


def of_this_process() -> dict[str, float] | None:
    """Of all cores that this process may use."""
    return known(allowed_cpus())


def _bounded(name: str, ns: float) -> float:
    least, most = BOUNDS[name]
    return min(max(ns, least), most)
