"""`streambench bench`: whatever measures, a file for each subcommand."""

from __future__ import annotations

import click

from streambench.lab.cli.lazy_group import LazyGroup

COMMANDS = {
    "queries": "Measure the queries, serial and ordered, on 1 to all cores.",
    "sweep": "Measure any product of workloads, heuristics, schemes, workers and more.",
    "rate": "Find the highest rate that stays within a latency bound.",
    "joins": "Measure joins of two streams as paper 001 does.",
    "topk": "Measure top-k summaries as paper 002 does.",
    "snet": "Measure S-NET's runtimes as paper 004 does.",
    "peers": "Measure other engines side by side with ours.",
    "perf": "Measure the runtime against hand-written loops, oneTBB and DuckDB, and judge it by targets.",
    "cluster": "Measure queries on a Spark cluster of two workers on this machine.",
    "stream": "Measure how long a row takes in a stream on Spark, ours beside Spark's own.",
}


@click.group(cls=LazyGroup, listed=COMMANDS, package=__name__)
def command() -> None:
    """Measure, and check what is measured. Each writes a dated result file into results/, which figures, claims,
    compare and report read.

    \b
    Examples:
      streambench bench queries --scale-factor 0.1
      streambench bench sweep --preset quick
      streambench bench joins
    """
