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
from streambench.lab.host import interrupts
from streambench.lab.show.console import spinner

if TYPE_CHECKING:
    from streambench.datagen.ingest import Summary
    from streambench.datagen.ingest.describe import Preview

TABLES = ("store_sales", "web_clickstreams", "ad_events", "item", "web_page", "ads")


@click.command()
@click.argument("source", type=LocalPath())
@click.option("--table", type=click.Choice(TABLES), help="The table that the file becomes.")
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="NAME=COLUMN",
    help="A column of the table and the column of your file it comes from (see below); may be repeated.",
)
@click.option(
    "--mapping", "mapping_file", type=LocalPath(), metavar="FILE.toml", help="The mapping from a TOML file instead."
)
@click.option(
    "--timestamp-format",
    metavar="PATTERN",
    help="How ts is written: a pattern such as 'dd/MM/yyyy HH:mm' (default 'yyyy-MM-dd HH:mm:ss'), epoch, or epoch-ms.",
)
@click.option("--drop", multiple=True, metavar="COLUMN=VALUE", help="Leave out rows with that value; may be repeated.")
@click.option("--where", metavar="SQL", help="Keep only rows that meet this condition over the columns of your file.")
@click.option(
    "--dictionary", multiple=True, metavar="NAME", help="Number this key by its names even if it is an integer."
)
@click.option(
    "--null",
    multiple=True,
    metavar="NAME=TEXT",
    help="A text that means 'no value' in a column of the table ('*=TEXT': in every one); may be repeated.",
)
@click.option("--out", type=LocalPath(), metavar="DIR", help="Make this new data directory.")
@click.option("--into", type=LocalPath(), metavar="DIR", help="Add the table to a directory that ingest made before.")
@click.option("--overwrite", is_flag=True, help="Replace the directory (--out) or the table in it (--into).")
@click.option("--skip-bad-rows", is_flag=True, help="Leave rows that cannot be used out, and tell how many they are.")
@click.option("--dry-run", is_flag=True, help="Show the first rows as they would be, and write nothing.")
@click.option("--delimiter", metavar="CHAR", help="CSV: what separates values (default a comma; a tab for .tsv).")
@click.option("--header/--no-header", default=None, help="CSV: the first line names the columns (default), or not.")
@click.option("--encoding", metavar="NAME", help="CSV: utf-8 (default), latin1, cp1252 or ascii.")
@click.option("--multiline", is_flag=True, default=None, help="CSV: quoted values may hold line breaks (slower).")
@click.option(
    "--engine",
    type=click.Choice(("auto", "local", "spark")),
    default="auto",
    show_default=True,
    help="This process, or Spark; auto takes Spark for more than 64 MiB, or where --master is given.",
)
@click.option("--master", metavar="URL", help="The Spark master to work on (default local[*]).")
@click.option("--partitions", type=int, metavar="N", help="Files to write (default: one per 2 million rows).")
@click.option("--buckets", type=int, metavar="N", help="Write so many files by key: clicks by user, sales by ticket.")
def command(
    source: str,
    table: str | None,
    maps: tuple[str, ...],
    mapping_file: str | None,
    timestamp_format: str | None,
    drop: tuple[str, ...],
    where: str | None,
    dictionary: tuple[str, ...],
    null: tuple[str, ...],
    out: str | None,
    into: str | None,
    overwrite: bool,
    skip_bad_rows: bool,
    dry_run: bool,
    delimiter: str | None,
    header: bool | None,
    encoding: str | None,
    multiline: bool | None,
    engine: str,
    master: str | None,
    partitions: int | None,
    buckets: int | None,
) -> None:
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

    given = mapping.ColumnMapping(
        table=table,
        columns=mapping.from_pairs(maps),
        timestamp_format=timestamp_format,
        drop=mapping.drops_from_pairs(drop),
        where=where,
        dictionary=dictionary,
        null=mapping.nulls_from_pairs(null),
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        multiline=multiline,
    )
    if mapping_file is not None:
        given = given.over(from_toml(mapping_file))
    options: dict[str, Any] = {
        "out": out,
        "into": into,
        "overwrite": overwrite,
        "skip_bad_rows": skip_bad_rows,
        "dry_run": dry_run,
    }
    options |= {"engine": engine, "master": master, "partitions": partitions, "buckets": buckets}
    summary = _run(source, given, options)
    _print(summary)


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
        taken = summary.taken.get(column, 0)
        table.add_row(f"nulls in {column}", f"{count:,}" + (f", {taken:,} by --null" if taken else ""))
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
