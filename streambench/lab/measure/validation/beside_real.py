"""Simulated runs beside real ones, on as many cores as there are: real, what feeds the simulation, real, simulated."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

from streambench.host.limits import allowed_cpus
from streambench.lab.measure.validation.beside_profile import Beside
from streambench.lab.record.journal import Record
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Watched

ATTEMPTS = 3  # at a comparison during which the host moves the cores

Fed = TypeVar("Fed")
Real = Callable[[int], Record]
"""A real run of this repeat, as a record with its distance, its host and whether it was verified."""
Simulate = Callable[[Machine, Fed], Record]
"""What the machine makes of what it is fed with."""


class Compared(NamedTuple):
    """``measured``: the mean of the real runs that count, ``apart`` by this part of it; ``off``: the simulated value is
    more than it by this part, or less if negative."""

    measured: float
    apart: float
    off: float

    def to_dict(self) -> dict[str, float]:
        """By name."""
        return self._asdict()


def compare(
    machine: Machine,
    workers: int,
    value: str,
    real: Real,
    feed: Callable[[], Fed],
    simulate: Simulate[Fed],
    watched: deque[Watched] | None = None,
    *,
    interrupted: bool = True,
) -> tuple[Beside, Record, Machine]:
    """Both real runs, what is simulated, and on which machine: with cores as far as they were meanwhile.

    ``value``: of a record, its throughput. ``watched``: as of `Beside`. ``interrupted``: the machine has the
    interruptions that were watched; not where what is simulated is much shorter than the real runs, and none or one
    would be drawn.
    """
    beside = Beside(machine.times, workers, watched)
    beside.real.append(_as_run(real(0), value))
    with beside.profiled():
        fed = feed()
    beside.real.append(_as_run(real(1), value))
    now = replace(machine, times=beside.times(interrupted=interrupted))
    return beside, simulate(now, fed), now


def beside_real(
    machine: Machine,
    workers: int,
    value: str,
    real: Real,
    feed: Callable[[], Fed],
    simulate: Simulate[Fed],
    watched: deque[Watched] | None = None,
    *,
    interrupted: bool = True,
) -> dict[str, Any]:
    """The simulated record, and as ``beside_real`` how far it is from real runs before and after what it is fed with;
    again where the host moved the cores meanwhile. Where it did so in every attempt, the one counts in which most real
    runs had the cores where the profile run had them. ``watched``: as of `Beside`."""
    attempts: list[tuple[Beside, Record]] = []
    while len(attempts) < ATTEMPTS:
        beside, found, _ = compare(machine, workers, value, real, feed, simulate, watched, interrupted=interrupted)
        attempts.append((beside, found))
        if beside.stayed:
            break
    else:
        beside, found = max(attempts, key=lambda each: each[0].n_alike if _right(*each) else -1)
    values = [run["throughput"] for run in beside.alike]
    told = None
    if _right(beside, found):
        mean = fmean(values)
        told = Compared(mean, (max(values) - min(values)) / mean, found[value] / mean - 1).to_dict()
    return {**found, "beside_real": told and {**told, "core_round_trip_ns": beside.round_trips}}


def fits_here(threads: int) -> bool:
    """Are there as many cores?"""
    return threads <= len(allowed_cpus())


def _right(beside: Beside, found: Record) -> bool:
    return found["verified"] and all(run["sequence_ok"] for run in beside.real)


def _as_run(found: Record, value: str) -> Record:
    """As `Beside` and `compared` take it; a run that was wrong has no host."""
    host = found.get("host") or {"disturbed": None}
    return {**found, "host": host, "sequence_ok": found["verified"], "throughput": found[value]}
