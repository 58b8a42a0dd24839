"""`streambench data ingest`: a user's own CSV or Parquet as a table of a data directory."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import argument, command_of, command_options, option
from streambench.lab.host import interrupts
from streambench.lab.show.console import spinner

if TYPE_CHECKING:
    from streambench.datagen.ingest import Summary
    from streambench.datagen.ingest.describe import Preview

TABLES = ("store_sales", "web_clickstreams", "ad_events", "item", "web_page", "ads")
OF_FILES = ("timestamp_format", "where", "delimiter", "header", "encoding", "multiline")
OF_RESULTS = (
    *("out", "into", "overwrite", "skip_bad_rows", "dry_run"),
    *("engine", "master", "partitions", "buckets"),
)


@command_options
class IngestOptions:
    """The file, how its columns are mapped, and what is made of it."""

    source: str = argument(type=LocalPath())
    table: str | None = option("The table that the file becomes.", type=click.Choice(TABLES))
    maps: tuple[str, ...] = option(
        "A column of the table and the column of your file it comes from (see below); may be repeated.",
        spelled="--map",
        multiple=True,
        metavar="NAME=COLUMN",
    )
    mapping: str | None = option("The mapping from a TOML file instead.", type=LocalPath(), metavar="FILE.toml")
    timestamp_format: str | None = option(
        "How ts is written: a pattern such as 'dd/MM/yyyy HH:mm' (default 'yyyy-MM-dd HH:mm:ss'), epoch, or epoch-ms.",
        metavar="PATTERN",
    )
    drop: tuple[str, ...] = option(
        "Leave out rows with that value; may be repeated.", multiple=True, metavar="COLUMN=VALUE"
    )
    where: str | None = option("Keep only rows that meet this condition over the columns of your file.", metavar="SQL")
    dictionary: tuple[str, ...] = option(
        "Number this key by its names even if it is an integer.", multiple=True, metavar="NAME"
    )
    null: tuple[str, ...] = option(
        "A text that means 'no value' in a column of the table ('*=TEXT': in every one); may be repeated.",
        multiple=True,
        metavar="NAME=TEXT",
    )
    out: str | None = option("Make this new data directory.", type=LocalPath(), metavar="DIR")
    into: str | None = option("Add the table to a directory that ingest made before.", type=LocalPath(), metavar="DIR")
    overwrite: bool = option("Replace the directory (--out) or the table in it (--into).")
    skip_bad_rows: bool = option("Leave rows that cannot be used out, and tell how many they are.")
    dry_run: bool = option("Show the first rows as they would be, and write nothing.")
    delimiter: str | None = option("CSV: what separates values (default a comma; a tab for .tsv).", metavar="CHAR")
    header: bool | None = option(
        "CSV: the first line names the columns (default), or not.", spelled="--header/--no-header"
    )
    encoding: str | None = option("CSV: utf-8 (default), latin1, cp1252 or ascii.", metavar="NAME")
    multiline: bool | None = option("CSV: quoted values may hold line breaks (slower).")
    engine: str = option(
        "This process, or Spark; auto takes Spark for more than 64 MiB, or where --master is given.",
        "auto",
        type=click.Choice(("auto", "local", "spark")),
    )
    master: str | None = option("The Spark master to work on (default local[*]).", metavar="URL")
    partitions: int | None = option("Files to write (default: one per 2 million rows).", metavar="N")
    buckets: int | None = option("Write so many files by key: clicks by user, sales by ticket.", metavar="N")


@command_of(IngestOptions)
def command(options: IngestOptions) -> None:
    """Turn SOURCE, a CSV or Parquet file or a folder of them, into a table of a data directory, in replay order.

    Columns of your file are mapped by short names, or by full ones such as ss_promo_sk; what is not mapped is null:

    \b
      store_sales       ts ticket item   [store customer quantity net_paid]
      web_clickstreams  ts user          [item sales page]
      ad_events         ts ad event      [user page]          event: 0 for a view
      item              item category    [price]
      web_page          page type
      ads               ad campaign

    ts is one column, or several whose texts are joined by a blank (ts=Date+Time); date_sk and time_sk may be mapped
    in its place. Any other column may be computed with + - * / and parentheses (net_paid=Quantity*UnitPrice); names
    with blanks or signs then stand in double quotes ('net_paid=Quantity*"Unit Price"').
    Keys that are integers from 0 up stay as they are. Names are numbered by their rank, and the dictionary is kept
    beside the table, so that answers print the names.

    \b
    Examples:
      streambench data ingest bakery.csv --table store_sales --map ts=Date+Time --map ticket=Transaction \\
          --map item=Item --drop Item=NONE --out data/bakery
      streambench run q1 --data data/bakery
    \b
      # a dimension table beside it, for the queries that look categories up
      streambench data ingest menu.csv --table item --map item=Name --map category=Kind --into data/bakery
    \b
      # money computed, a sentinel for "no order" in one column, and first a look at what it would give
      streambench data ingest shop.csv --table store_sales --map ts=Sold --map ticket=Invoice --map item=Stock \\
          --map net_paid=Quantity*UnitPrice --map customer=Customer --null customer=0 --out data/shop --dry-run
    \b
      # clicks with times in seconds since 1970, mapped in a file
      streambench data ingest clicks/ --mapping clicks.toml --timestamp-format epoch --out data/shop
    """
    from streambench.datagen.ingest import mapping
    from streambench.datagen.ingest.toml import from_toml

    columns = mapping.ColumnMapping(
        table=options.table,
        columns=mapping.from_pairs(options.maps),
        drop=mapping.drops_from_pairs(options.drop),
        dictionary=options.dictionary,
        null=mapping.nulls_from_pairs(options.null),
        **{name: getattr(options, name) for name in OF_FILES},
    )
    if options.mapping is not None:
        columns = columns.over(from_toml(options.mapping))
    _print(_run(options.source, columns, {name: getattr(options, name) for name in OF_RESULTS}))


def _run(source: str, mapping: Any, options: dict[str, Any]) -> Summary:
    """Ingest with a line of progress per step on standard error."""
    console = Console(stderr=True)
    columns = (spinner(console), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        starting = bars.add_task("starting", total=None)
        with interrupts.held():
            from streambench.datagen.ingest import ingest

        tasks: dict[str, Any] = {}

        def show(step: str, fraction: float) -> None:
            if step not in tasks:
                bars.update(starting, visible=False)
                tasks[step] = bars.add_task(step, total=1.0)
            bars.update(tasks[step], completed=fraction)

        return ingest(source, mapping, progress=show, **options)


def _print(summary: Summary) -> None:
    console = Console(highlight=False)
    title = f"{summary.table} in {summary.directory}"
    if summary.preview is not None:
        title = f"{summary.table} as it would be"
        if not summary.whole:
            title += f", by the first {summary.read:,} rows of the file"
    table = Table(title=title, title_justify="left", show_header=False, box=None)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("rows read", f"{summary.read:,}")
    table.add_row("left out by --drop and --where", f"{summary.left_out:,}")
    table.add_row("skipped as unusable", f"{summary.skipped:,}")
    table.add_row("rows kept", f"{summary.kept:,}")
    if summary.first is not None and summary.last is not None:
        table.add_row("first event", _time(summary.first))
        table.add_row("last event", _time(summary.last))
    for column, count in summary.distinct.items():
        table.add_row(f"distinct {column}", f"{count:,}")
    for column, count in summary.nulls.items():
        text_count = summary.nulled.get(column, 0)
        table.add_row(f"nulls in {column}", f"{count:,}" + (f", {text_count:,} by --null" if text_count else ""))
    for name, size in summary.dictionaries.items():
        table.add_row(f"dictionary of {name}", f"{size:,} names")
    if summary.preview is None:
        files = "1 file" if summary.files == 1 else f"{summary.files:,} files"
        table.add_row("written", f"{summary.kept:,} rows, {summary.bytes:,} bytes in {files}")
    console.print(table)
    if summary.preview is not None:
        _print_preview(console, summary.preview)
    for note in summary.notes:
        console.print(f"[yellow]note:[/yellow] {note}")


def _print_preview(console: Console, preview: Preview) -> None:
    table = Table(title=f"the first {len(preview.rows)} rows", title_justify="left")
    for column in preview.columns:
        table.add_column(column, overflow="fold")
    for row in preview.rows:
        table.add_row(*map(escape, row))
    console.print(table)
    console.print("nothing was written (--dry-run)")


def _time(seconds: int) -> str:
    return f"{datetime.datetime(1900, 1, 1) + datetime.timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"
