"""What the machine's primitives take: measured here, on its own cores, never fitted to a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from statistics import median

from streambench.errors import OptionError
from streambench.host.limits import allowed_cpus
from streambench.pyx.machine.core_distance import round_trip_ns
from streambench.pyx.machine.primitives import pause_ns, stream_line_ns, wake_up_ns, yield_ns
from streambench.pyx.machine.run_queue import account_ns

ATTEMPTS = 3
FAR = 2.5  # times as far as the next core: assumed of a core of another socket


@dataclass(frozen=True)
class Times:
    """Nanoseconds. A simulated machine is told all of them by name.

    ``near_line``: a line's way from another core, half a round trip. ``far_line``: from a core of another socket;
    ``measure`` assumes ``FAR`` times as much. ``stream_line``: a line of a buffer that another core has written, of
    which many are on their way at a time. ``pause``, ``to_yield``: of a worker that waits. ``wake_up``: from the call
    that wakes a sleeper until that runs. ``account``: to ask the system how long a thread has waited for a core,
    which `schemes` never does.
    """

    near_line: float
    far_line: float
    stream_line: float
    pause: float
    to_yield: float
    wake_up: float
    account: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            if not 0 <= getattr(self, each.name) < float("inf"):
                raise OptionError(f"the time of {each.name} must be nanoseconds from 0 up.")

    def to_dict(self) -> dict[str, float]:
        """By name."""
        return asdict(self)


def measure() -> Times:
    """Measure them on the cores that this process may use: a second's work.

    Raises OptionError where it may use one only, as nothing can be told of the way between cores then.
    """
    pairs = list(pairwise(allowed_cpus()))[:1]
    if not pairs:
        raise OptionError(
            "one core alone does not tell what cores take to share: allow this process two, or give the times."
        )
    ((one, other),) = pairs

    def between(primitive: Callable[[int, int], float]) -> float:
        return median(primitive(one, other) for _ in range(ATTEMPTS))

    near = between(round_trip_ns) / 2
    return Times(
        near_line=near,
        far_line=FAR * near,
        stream_line=between(stream_line_ns),
        pause=pause_ns(),
        to_yield=yield_ns(),
        wake_up=between(wake_up_ns),
        account=account_ns(),
    )
