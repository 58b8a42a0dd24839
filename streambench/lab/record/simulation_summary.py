"""Of a simulated sweep: its kind, and a row for each workload and configuration, which says whether it is simulated."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from streambench.lab.record import sweep_summary
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.run import Plain

KIND = "simulation"
LEAST_WINDOWS = 20
"""Of the scheduler: a shorter run is mostly what heuristics do while they know little of costs and selectivities."""


def windows(run: Plain) -> float:
    """How many of the scheduler's windows a run lasted."""
    return float(run["seconds"] / run["window"])


def rows(runs: Sequence[Plain]) -> list[dict[str, Any]]:
    """As a sweep's, with ``simulated``: false of the serial engine, which is measured; ``ratio`` is to that, by repeat,
    however long the streams are."""
    said = {_key(run): bool(run["simulated"]) for run in runs}
    paired = [{**run, "tuples": 0} for run in runs]
    return [{**row, "simulated": said[_key(row)]} for row in sweep_summary.rows(paired)]


def _key(run: Plain) -> str:
    return json.dumps([run.get(name) for name in ("query", "micro", *CONFIGURATION)], sort_keys=True)
