"""From a sweep's runs to one row for each workload and configuration, with its speed-up over the serial engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from statistics import median

from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.run import Plain, Row
from streambench.lab.record.summary import SERIAL, summarise
from streambench.lab.workloads.micro import MicroSpec, OperatorSpec

KIND = "sweep"
MOST_ROWS = 60  # more than that nobody reads: those of the most workers are shown


def rows(runs: Sequence[Plain]) -> list[Row]:
    """One row per workload and configuration, in the order of the runs.

    As those of ``streambench.lab.record.summary``, with the whole configuration and the latency's mean. ``ratio`` is to
    the serial engine over the same workload, at its fastest unit size where it ran with several.
    """
    return [row for group in grouped(runs, ("query", "micro")) for row in _of_workload(group)]


def title(row: Plain) -> str:
    """The workload of a run or row in a few words."""
    if row["micro"] is None:
        return str(row["query"])
    values = dict(row["micro"])
    operators = tuple(OperatorSpec(**each) for each in values.pop("operators"))
    return MicroSpec(operators, **values).title


def _of_workload(runs: Sequence[Plain]) -> Iterator[Row]:
    serial = [group for group in grouped(runs, CONFIGURATION) if group[0]["engine"] == SERIAL]
    baseline = max(serial, key=lambda group: median([run["throughput"] or 0.0 for run in group]), default=[])
    for group in grouped(runs, CONFIGURATION):
        ours = group[0]["engine"] == SERIAL
        row = next(
            row for row in summarise(group if ours else [*group, *baseline]) if (row["engine"] == SERIAL) == ours
        )
        if row["latency"] is not None:
            means = [run["latency"].get("mean") for run in group]
            row["latency"]["mean"] = median(means) if None not in means else None
        yield {"micro": group[0]["micro"], **{name: group[0].get(name) for name in CONFIGURATION}, **row}


def grouped(runs: Sequence[Plain], names: Sequence[str]) -> list[list[Plain]]:
    groups: dict[str, list[Plain]] = {}
    for run in runs:
        groups.setdefault(json.dumps([run.get(name) for name in names], sort_keys=True), []).append(run)
    return list(groups.values())
