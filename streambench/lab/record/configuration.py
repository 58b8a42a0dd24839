"""What tells one configuration from another, in results, summaries, comparisons and figures."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from streambench.execution.options import Options

NO_NUMBER = {"sort": "before the run begins; the stream that runs is the same"}
"""Options that cannot change what is measured, and why."""

CONFIGURATION = tuple(each.name for each in fields(Options) if each.name not in NO_NUMBER)


def complete(run: dict[str, Any]) -> None:
    """Give a run of a kept result the routing that it had, where it was measured before there was a choice."""
    if "heuristic" in run:
        run.setdefault("routing", "early" if run["heuristic"] else None)
