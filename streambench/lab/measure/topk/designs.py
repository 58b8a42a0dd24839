"""The designs that can be measured, by name: which class counts, and how."""

from __future__ import annotations

import importlib
import importlib.util
import math
from dataclasses import dataclass
from typing import Any

from streambench.pyx.topk.designs import DESIGNS as KNOWN
from streambench.pyx.topk.designs import design_named

RHO = 500  # queued requests above which a thread of the paper holds back (section 5.3)
SLEEP = 50e-6  # seconds for which it then sleeps: the paper does not say
OF_ONE_STREAM = ("sequential", "lossy")


@dataclass(frozen=True)
class TopkDesign:
    """``design``: its name in the registry. ``merges``: to answer, so that the paper asks it while it counts.
    ``tuned``: its threads sleep where queues are long.
    """

    design: str
    merges: bool = False
    tuned: bool = False

    @property
    def profiled(self) -> bool:
        """Is there a twin of it that takes the time of its operations?"""
        return importlib.util.find_spec(self._twin) is not None

    def summary(
        self, epsilon: float, threads: int, rho: int = RHO, sleep: float = SLEEP, *, instrumented: bool = False
    ) -> Any:
        """A new summary of 1 / ``epsilon`` counters, or its twin; ``rho`` and ``sleep`` (seconds) where it is tuned."""
        design = design_named(self.design)
        if instrumented:
            design = getattr(importlib.import_module(self._twin), design.__name__)
        return design(counters_of(epsilon), threads, **({"rho": rho, "sleep": sleep} if self.tuned else {}))

    @property
    def _twin(self) -> str:
        """The module that is compiled of the same code to measure."""
        return f"{design_named(self.design).__module__}_profiled"


def counters_of(epsilon: float) -> int:
    """1 / ε: no count is wrong by more than ε N."""
    return math.ceil(round(1 / epsilon, 6))


DESIGNS = {
    **{name: TopkDesign(name) for name in KNOWN},
    "independent": TopkDesign("independent", merges=True),
    "independent-fast": TopkDesign("independent-fast", merges=True),
    "auto-tuned": TopkDesign("cooperative", tuned=True),
}
OF_ANOTHER_ALGORITHM = ("lossy", "cooperative-lossy")  # than Space-Saving, which the paper measures
USUAL = tuple(name for name in DESIGNS if name not in (*OF_ONE_STREAM, *OF_ANOTHER_ALGORITHM))
