"""`streambench data`: the tables that queries run on, a file for each subcommand."""

from __future__ import annotations

from streambench.lab.cli.lazy_group import LazyGroup

COMMANDS = {
    "generate": "Generate the tables at any size (PySpark).",
    "ingest": "Turn your own CSV or Parquet into a stream the queries run on.",
    "check": "Check a directory of tables: rows, order, distributions.",
}


command = LazyGroup(
    listed=COMMANDS,
    package=__name__,
    help="""Make the tables that the queries run on, or check a directory of them.

    \b
    Examples:
      streambench data generate --scale-factor 0.01 --out data/sf0.01
      streambench data ingest bakery.csv --table store_sales --map ts=Date+Time --map ticket=Transaction --map item=Item
      streambench data check data/sf0.01
    """,
)
