"""`streambench spark`: the queries on a cluster, a file for each subcommand."""

from __future__ import annotations

from streambench.lab.cli.lazy_group import LazyGroup

COMMANDS = {
    "stream": "Run a query as a stream without end on Spark, exactly once (Structured Streaming).",
    "bundle": "Pack this installation for the executors of a Spark cluster.",
}


command = LazyGroup(
    listed=COMMANDS,
    package=__name__,
    help="""Run queries on a Spark cluster: as streams without end, or with `run --engine spark`.

    \b
    Examples:
      streambench spark stream q4 --data data/sf0.05 --checkpoint carts
      streambench spark bundle --out bundle.tar.gz
    """,
)
