"""Simulated runs beside real ones, on as many cores as there are: real, simulated, real."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any, NamedTuple

from streambench.host.limits import allowed_cpus

Real = Callable[[], float]
"""A real run's value, such as tuples per second."""


class Beside(NamedTuple):
    """``measured``: the mean of the real runs before and after, ``apart`` by this part of it; ``off``: the simulated
    value is more than it by this part, or less if negative."""

    measured: float
    apart: float
    off: float

    def to_dict(self) -> dict[str, float]:
        """By name."""
        return self._asdict()


def beside(real: Real, simulate: Callable[[], dict[str, Any]], value: str) -> dict[str, Any]:
    """The simulated record, and as ``beside_real`` what real runs before and after gave of its ``value``."""
    before = real()
    found = simulate()
    after = real()
    mean = fmean((before, after))
    told = Beside(mean, abs(before - after) / mean, found[value] / mean - 1) if found["verified"] else None
    return {**found, "beside_real": told and told.to_dict()}


def fits_here(threads: int) -> bool:
    """Are there as many cores?"""
    return threads <= len(allowed_cpus())
