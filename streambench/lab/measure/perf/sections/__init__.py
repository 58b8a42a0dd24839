"""The sections of the performance report, in its order. A section is a function that gives its cases: most are
declarations of what is measured side by side and of the rows made of it (`compared`).
"""

from __future__ import annotations

import importlib.util

from streambench.lab.measure.perf import onetbb
from streambench.lab.measure.perf.case import Section

SECTIONS = {
    each.name: each
    for each in (
        Section("micro", "Micro pipeline against the loop", "micro.micro"),
        Section("tbb", "2 workers against oneTBB's parallel_pipeline with 2 threads", "micro.tbb"),
        Section("queries", "The queries", "queries.queries", needs_data=True),
        Section("scaling", "The micro pipeline over workers, beside as many loops at once", "micro.scaling"),
        Section("plans", "The plan chosen against plans by hand", "plans.plans"),
        Section(
            "neighbours", "2 workers against serial, beside processes that burn a core", "queries.neighbours", True
        ),
        Section("disturbance", "A neighbour that comes and goes, 2 workers", "disturbance.cases"),
        Section("latency", "Latency at a rate, 2 workers", "latency.cases"),
        Section("changes", "Streams that change, 2 workers at a rate", "changes.cases"),
        Section("idle", "Idle pipeline", "micro.idle"),
        Section("memory", "Memory over the stream and the operators' state, 2 workers", "queries.memory", True),
        Section("joins", "ScaleJoin: comparisons of tuples within a window", "others.joins"),
        Section("topk", "Top-k: updates of summaries", "others.topk"),
        Section("order", "Tasks that end in order, by the Ordered Scheduler and without it", "order.order"),
        Section("windows", "Windows by key: one thread and two workers", "windows.windows"),
        Section("checkpoints", "Checkpoints of a state of some 100 MB, one a second", "checkpoints.checkpoints"),
        Section("disk", "The queries from disk, 2 workers", "queries.disk", needs_data=True),
    )
}
NAMES = tuple(SECTIONS)


def missing(name: str) -> str | None:
    """What this machine lacks for the section, in words; None where it can be measured."""
    if name in ("joins", "windows") and importlib.util.find_spec("polars") is None:
        return "Polars is not installed: pip install polars"
    return onetbb.MISSING if name == "tbb" and not onetbb.there() else None
