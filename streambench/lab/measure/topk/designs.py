"""The designs that can be measured, by name: which class counts, and how."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from streambench.pyx.topk.designs import DESIGNS as KNOWN
from streambench.pyx.topk.designs import design_named

RHO = 500  # queued requests above which a thread of the paper holds back (section 5.3)
OF_ONE_STREAM = ("sequential", "lossy")


@dataclass(frozen=True)
class TopkDesign:
    """``design``: its name in the registry, with these ``options``. ``queried``: it is asked while it counts, as it
    merges to answer.
    """

    design: str
    options: Mapping[str, Any] = field(default_factory=dict)
    queried: bool = False

    @property
    def profiled(self) -> bool:
        """Is there a twin of it that takes the time of its operations?"""
        return importlib.util.find_spec(self._twin) is not None

    def summary(self, counters: int, threads: int, *, instrumented: bool = False) -> Any:
        """A new summary, or its twin."""
        design = design_named(self.design)
        if instrumented:
            design = getattr(importlib.import_module(self._twin), design.__name__)
        return design(counters, threads, **self.options)

    @property
    def _twin(self) -> str:
        """The module that is compiled of the same code to measure."""
        return f"{design_named(self.design).__module__}_profiled"


DESIGNS = {
    **{name: TopkDesign(name) for name in KNOWN},
    "independent": TopkDesign("independent", queried=True),
    "independent-fast": TopkDesign("independent-fast", queried=True),
    "auto-tuned": TopkDesign("cooperative", {"rho": RHO}),
}
OF_ANOTHER_ALGORITHM = ("lossy", "cooperative-lossy")  # than Space-Saving, which the paper measures
USUAL = tuple(name for name in DESIGNS if name not in (*OF_ONE_STREAM, *OF_ANOTHER_ALGORITHM))
