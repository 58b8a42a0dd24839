"""The sections of the performance report, a file each: their names on the command line, in the report's order."""

from __future__ import annotations

import importlib
import importlib.util

from streambench.lab.measure.perf import onetbb
from streambench.lab.measure.perf.case import Section

NAMES = (
    *(
        "micro",
        "tbb",
        "queries",
        "baskets",
        "workers",
        "scaling",
        "plans",
        "neighbours",
        "disturbance",
        "latency",
        "changes",
        "idle",
        "memory",
        "joins",
    ),
    "heavy-hitters",
    "disk",
)


def load(name: str) -> Section:
    """The section of this name."""
    module: Section = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return module


def missing(name: str) -> str | None:
    """What this machine lacks for the section, in words; None where it can be measured."""
    if name == "joins" and importlib.util.find_spec("polars") is None:
        return "Polars is not installed: pip install polars"
    return onetbb.MISSING if name == "tbb" and not onetbb.there() else None
