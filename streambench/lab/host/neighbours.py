"""Whether others keep this machine busy right now, which the load, a mean over minutes, tells too late."""

from __future__ import annotations

import time

import psutil

from streambench.host.limits import allowed_cpus

MOMENT = 0.5  # seconds to look
BUSY = ("user", "nice", "system", "irq", "softirq", "steal")  # the time of guests is in that of users
BUSY_CORES = 0.2  # from here on a neighbour takes visible time


def busy_cores(seconds: float = MOMENT) -> float | None:
    """How many of the allowed cores others use, on the average over ``seconds`` in which this process sleeps.

    What a host takes from a virtual machine counts. None where the system does not tell.
    """
    try:
        before, mine, began = _busy(), time.process_time(), time.monotonic()
        time.sleep(seconds)
        after, lasted = _busy(), time.monotonic() - began
    except (AttributeError, IndexError, OSError, RuntimeError, psutil.Error):  # cores that are off have no line
        return None
    return max(0.0, after - before - (time.process_time() - mine)) / lasted


def warning(when: str) -> str | None:
    """A sentence if others use a visible part of the cores now; ``when``: in words."""
    busy = busy_cores()
    if busy is None or busy < BUSY_CORES:
        return None
    return f"others kept {busy:.1f} of {len(allowed_cpus())} cores busy {when}: wait for them, or distrust the numbers"


def _busy() -> float:
    """Seconds that the allowed cores have been busy since the start of the system."""
    times = psutil.cpu_times(percpu=True)
    return float(sum(getattr(times[cpu], kind, 0.0) for cpu in allowed_cpus() for kind in BUSY))
