"""The designs that can be measured, by name: which class counts, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from streambench.pyx.heavy_hitters.designs import DESIGNS as KNOWN
from streambench.pyx.heavy_hitters.designs import design_named
from streambench.pyx.heavy_hitters.summary import Summary

RHO = 500  # queued requests above which a thread of the paper holds back (section 5.3)
OF_ONE_STREAM = ("sequential", "lossy")


@dataclass(frozen=True)
class Measured:
    """``design``: its name in the registry, with these ``options``.

    ``queried``: it is asked while it counts, as its cost depends on that. ``profiled``: there is a twin of it that
    takes the time of its operations.
    """

    design: str
    options: Mapping[str, Any] = field(default_factory=dict)
    queried: bool = False
    profiled: bool = False

    def summary(self, counters: int, threads: int, *, instrumented: bool = False) -> Any:
        """A new summary."""
        return _class(self.design, instrumented)(counters, threads, **self.options)


_OTHERS: dict[str, Measured] = {
    "independent": Measured("independent", queried=True, profiled=True),
    "independent-fast": Measured("independent-fast", queried=True),
    "shared": Measured("shared", profiled=True),
    "cooperative": Measured("cooperative", profiled=True),
    "auto-tuned": Measured("cooperative", {"rho": RHO}, profiled=True),
}
DESIGNS = {name: Measured(name) for name in KNOWN}
DESIGNS |= {name: each for name, each in _OTHERS.items() if each.design in KNOWN}
USUAL = tuple(name for name in DESIGNS if name not in OF_ONE_STREAM)


def _class(name: str, instrumented: bool) -> type[Summary]:
    return design_named(name)
