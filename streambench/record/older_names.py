"""Runs of result files with schema 1, in today's words.

Two engines were called `ordered` then: units through segments (``scheduler`` "-", ``partitioning`` "sharded") and the
paper's schemes. The heuristic was a ``scheduler``, and `walk` was `front`; ``fuse`` was ``segments``; the plan `whole`
was `fused`, and `cut` was `serial`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streambench.execution.configuration import CONFIGURATION
from streambench.execution.options import Options
from streambench.execution.settled import settle

SCHEMA = 1
HEURISTICS = {"front": "walk"}
PLANS = {"fused": "whole", "serial": "cut"}
DEFAULT = Options(preload=True)  # of what was not recorded, as it could not be chosen; every measured run was preloaded

Run = dict[str, Any]


def renamed(run: Mapping[str, Any]) -> Run:
    """A run of such a file; what it did not record has the value that it had by default."""
    found = {name: value for name, value in run.items() if name not in ("scheduler", "segments")}
    sharded = run.get("partitioning") == "sharded"
    found["engine"] = "schemes" if run["engine"] == "ordered" and not sharded else run["engine"]
    schemes = settle(Options(engine="schemes"))
    for name, older in (("heuristic", "scheduler"), ("reorder", "reorder"), ("partitioning", "partitioning")):
        value = run.get(older, getattr(schemes, name))
        found[name] = HEURISTICS.get(value, value) if found["engine"] == "schemes" else None
    found["fuse"] = run.get("segments", DEFAULT.fuse)
    found["plan"] = PLANS.get(run.get("plan", DEFAULT.plan), run.get("plan", DEFAULT.plan))
    if "choices" in run:
        found["choices"] = [{**each, "plan": PLANS.get(each["plan"], each["plan"])} for each in run["choices"]]
    return {**{name: getattr(DEFAULT, name) for name in CONFIGURATION}, **found}
