"""What a run on a cluster prints."""

from __future__ import annotations

from rich.console import Console

from streambench.lab.cluster.run import ClusterResult
from streambench.lab.record.summary import human
from streambench.lab.show.facts import print_facts
from streambench.lab.show.run_summary import verdict


def print_summary(console: Console, result: ClusterResult, title: str) -> None:
    """Print what was run, how fast, and whether it was right. A run that is wrong has no number."""
    wrong = result.problem is not None
    cores = f"{result.workers} worker{'s' if result.workers > 1 else ''} a task"
    facts = {
        "query": f"{result.query}, {title} ({result.parameter_set})",
        "engine": f"{result.engine} on {result.master}, {result.partitions} partitions, {cores}",
        "data": "in buckets by key" if result.bucketed else "split by key",
        "tuples": f"{result.tuples:,} in",
        "seconds": "-" if wrong else f"{result.seconds:.3f}, and {result.start_seconds:.3f} to start Spark",
        "throughput": "-" if wrong else f"{human(result.throughput)} tuples/s",
        "workers' CPU": "-" if wrong else f"{result.core_seconds:.3f} s",
        "sent": f"{human(result.sent_bytes)} bytes by the shuffles",
        "sequence verified": f"{verdict(result.sequence_ok)}, by {', '.join(result.sequence_by)}",
        "answer verified": verdict(result.answer_ok),
    }
    print_facts(console, facts if result.sequence_ok is not None else {**facts, "sequence verified": None})
