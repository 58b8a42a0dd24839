"""What the system and the host did beside one run: stolen time, others' time, switches; and whether that disturbed it.

The seconds of the cores come from ``/proc/stat``, which counts in hundredths: of a run of milliseconds they tell
nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streambench.host.core_distance import MOVED
from streambench.host.limits import ROOT, allowed_cpus

HUNDREDTH = 0.01  # s: what /proc/stat counts in
BUSY = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq; the time of guests is in that of users
STEAL = 7
SHARE = 0.05  # of the cores' time: from here on others, or the host, have taken a visible part
SHORTEST = 0.2  # s: below, a hundredth at either end of the run is too much to be told from nothing


@dataclass(frozen=True)
class CoreTime:
    """At a moment: seconds since the start of the system that the allowed cores were ``busy``, and ``stolen`` by the
    host; None where the system does not tell. ``own``: this process's CPU seconds. ``at``: of a steady clock."""

    busy: float | None
    stolen: float | None
    own: float
    at: float
    load: float | None

    @classmethod
    def now(cls, root: Path = ROOT) -> CoreTime:
        """As it is just now."""
        times = read_core_times(root)
        busy, stolen = (None, None) if times is None else times
        return cls(busy, stolen, time.process_time(), time.monotonic(), _load())


def read_core_times(root: Path = ROOT) -> tuple[float, float] | None:
    """Seconds that the allowed cores have been busy, and stolen, since the start of the system."""
    times = _hundredths(root)
    if not times:
        return None
    busy, stolen = sum(each[kind] for each in times for kind in BUSY), sum(each[STEAL] for each in times)
    return busy * HUNDREDTH, stolen * HUNDREDTH


def steal_share(root: Path, unknown: str) -> float | str:
    """What the host has taken of the allowed cores' time since the system's start, a share; ``unknown`` where the
    system does not tell."""
    times = _hundredths(root)
    whole = sum(sum(each[: STEAL + 1]) for each in times)
    return round(sum(each[STEAL] for each in times) / whole, 4) if whole else unknown


def _hundredths(root: Path) -> list[list[int]]:
    """The counters of each allowed core; none where the system does not tell."""
    allowed = {f"cpu{number}" for number in allowed_cpus()}
    try:
        lines = [line.split() for line in (root / "proc/stat").read_text("utf-8").splitlines()]
        numbers = [[int(each) for each in words[1:]] for words in lines if words and words[0] in allowed]
    except (OSError, ValueError):
        return []
    return numbers if all(len(each) > STEAL for each in numbers) else []


def beside(
    before: CoreTime, after: CoreTime, switches: Iterable[tuple[int, int]], distances: tuple[float | None, float | None]
) -> dict[str, Any]:
    """What happened between two moments, as plain values.

    ``switches``: of each worker, the voluntary and the involuntary ones. ``distances``: a cache line's round trip
    before and after, ns, None where it was not taken.

    ``steal_seconds`` is what the host took from the allowed cores, ``others_seconds`` what other processes did.
    ``disturbed``: True where either took 5 % of the cores' time, or the cores moved; None where the run was too short
    to tell, or the system does not.
    """
    seconds = after.at - before.at
    steal = None if before.stolen is None or after.stolen is None else max(0.0, after.stolen - before.stolen)
    others = None
    if before.busy is not None and after.busy is not None:
        others = max(0.0, after.busy - before.busy - (after.own - before.own))
    of_workers = list(switches)
    shares: dict[str, Any] = {
        "steal_seconds": _rounded(steal),
        "others_seconds": _rounded(others),
        "cores": len(allowed_cpus()),
        "voluntary_switches": sum(each for each, _ in of_workers),
        "involuntary_switches": sum(each for _, each in of_workers),
        "load": before.load,
        "core_round_trip_ns_after": distances[1],
    }
    reasons = _reasons(seconds * shares["cores"], steal, others, distances)
    known = steal is not None and others is not None and seconds >= SHORTEST
    return {**shares, "disturbed": True if reasons else False if known else None, "disturbed_by": reasons}


def warning(hosts: Iterable[Mapping[str, Any] | None]) -> str | None:
    """A sentence if the host or others disturbed any run, by what ``beside`` said of each; None: it is not known."""
    known = [each for each in hosts if each is not None]
    disturbed = [each for each in known if each["disturbed"]]
    unknown = sum(each["disturbed"] is None for each in known)
    if not disturbed:
        return None
    why = sorted({reason for each in disturbed for reason in each["disturbed_by"]})
    short = f", and of {unknown} that is not known" if unknown else ""
    return (
        f"{len(disturbed)} of {len(known)} runs were disturbed ({', '.join(why)}){short}: they say `disturbed` in the "
        "result file; distrust what rests on them"
    )


def _reasons(
    core_seconds: float, steal: float | None, others: float | None, distances: tuple[float | None, float | None]
) -> list[str]:
    """In one word each. What could be a hundredth at either end is no sign."""
    visible = max(SHARE * core_seconds, 2 * HUNDREDTH)
    reasons = [name for name, share in (("steal", steal), ("others", others)) if share is not None and share > visible]
    near, far = (min(distances, key=_known), max(distances, key=_known))
    if near is not None and far is not None and far >= MOVED * near:
        reasons.append("cores moved")
    return reasons


def _known(distance: float | None) -> float:
    return distance if distance is not None else 0.0


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _load() -> float | None:
    try:
        return round(os.getloadavg()[0], 2)
    except (OSError, AttributeError):
        return None
