"""What a run on a cluster prints."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from streambench.lab.cluster.run import ClusterResult
from streambench.lab.record.summary import human
from streambench.lab.show.run_summary import verdict


def print_summary(console: Console, result: ClusterResult, title: str) -> None:
    """Print what was run, how fast, and whether it was right. A run that is wrong has no number."""
    wrong = result.problem is not None
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("query", f"{result.query}, {title} ({result.parameter_set})")
    cores = f"{result.workers} worker{'s' if result.workers > 1 else ''} a task"
    table.add_row("engine", f"{result.engine} on {result.master}, {result.partitions} partitions, {cores}")
    table.add_row("data", "in buckets by key" if result.bucketed else "split by key")
    table.add_row("tuples", f"{result.tuples:,} in")
    table.add_row("seconds", "-" if wrong else f"{result.seconds:.3f}, and {result.start_seconds:.3f} to start Spark")
    table.add_row("throughput", "-" if wrong else f"{human(result.throughput)} tuples/s")
    table.add_row("workers' CPU", "-" if wrong else f"{result.core_seconds:.3f} s")
    table.add_row("sent", f"{human(result.sent_bytes)} bytes by the shuffles")
    if result.sequence_ok is not None:
        table.add_row("sequence verified", f"{verdict(result.sequence_ok)}, by {', '.join(result.sequence_by)}")
    table.add_row("answer verified", verdict(result.answer_ok))
    console.print(table)
