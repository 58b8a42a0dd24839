"""`streambench data generate`: the tables of TPCx-BB, by Spark."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from streambench.datagen import generate, manifest
from streambench.datagen.model import PROFILES, Options
from streambench.lab.cli.data.steps import told_by_step
from streambench.lab.cli.options import command_of, command_options, option


@command_options
class GenerateOptions:
    """The data to be made, see ``Options``, and where and how."""

    scale_factor: float = option("Size, from 0.001 up; 1 is 6.8 M clicks.", 1.0)
    days: int = option("Days of event time that the streams span.", 30)
    seed: int = option("The same seed gives the same rows in the same order.", 1)
    profile: str = option(
        "session: clicks of a visit follow each other within minutes. pdgf: at random seconds of a day. heavy: as "
        "session, with tickets as long as a real shop's: 10 items in the middle, 1,110 at most. even: as session, with "
        "equally many items of each category, so that Q15's rows are spread evenly.",
        "session",
        type=click.Choice(PROFILES),
    )
    out: Path | None = option("Directory to write.  [default: data/sf<SCALE FACTOR>]")
    master: str = option("Spark master: local[N], spark://HOST:PORT, yarn …", "local[*]")
    partitions: int | None = option("Files of each fact table.  [default: one for each 2 M rows]")
    buckets: int | None = option("Lay clicks out in so many files by user, sales by ticket: for clusters.")
    edges: bool = option(
        "Some 390 rows on purpose at the edges of what the queries compare, such as gaps of exactly an hour.",
        True,
        "--edges/--no-edges",
    )
    overwrite: bool = option("Replace a directory that `data generate` or `data ingest` made.")


@command_of(GenerateOptions, no_args_is_help=True)
def command(options: GenerateOptions) -> None:
    """Generate the tables as Parquet files in replay order: store_sales, web_clickstreams, ad_events, item, web_page,
    date_dim and ads.

    Without any option this help is shown, and nothing is written.

    The rows depend on the scale factor, the days, the seed, the profile and the edges only: not on cores, executors
    or partitions. A manifest is written last. A directory that holds _INCOMPLETE, because its writing was interrupted,
    is refused by every other command; one made by hand needs no manifest, save for `data check`.

    \b
    Examples:
      streambench data generate --scale-factor 0.1
      streambench data generate --scale-factor 1 --days 7 --seed 42 --out data/week
      streambench data generate --profile pdgf --scale-factor 0.01 --out data/pdgf --overwrite
      streambench data generate --scale-factor 100 --master spark://head:7077 --out /shared/sf100
      streambench data generate --scale-factor 100 --buckets 64 --out /shared/sf100b
    """
    out = options.out if options.out is not None else Path("data") / f"sf{options.scale_factor:g}"
    began = time.monotonic()
    how = {each.name: getattr(options, each.name) for each in fields(Options)}
    Options(**how)  # refused before anything is shown
    manifest.refuse_in_use(out, options.overwrite)
    with told_by_step("generate", "starting Spark") as reporter:
        content = generate(out, **how, master=options.master, overwrite=options.overwrite, progress=reporter)
    _print_summary(out, content, time.monotonic() - began)


def _print_summary(out: Path, content: dict[str, Any], seconds: float) -> None:
    parameters = content["parameters"]
    table = Table(
        title=f"{escape(str(out))}: scale factor {parameters['scale_factor']:g}, seed {parameters['seed']}, "
        f"{parameters['days']} days, profile {parameters['profile']}, {len(parameters['edges'])} edges"
    )
    table.add_column("table")
    for name in ("rows", "files", "MB"):
        table.add_column(name, justify="right")
    table.add_column("sha256 of the rows")
    for name, entry in content["tables"].items():
        size = sum((out / file).stat().st_size for file in entry["files"]) / 1e6
        table.add_row(name, f"{entry['rows']:,}", str(len(entry["files"])), f"{size:.1f}", entry["sha256"][:16])
    console = Console()
    console.print(table)
    console.print(
        f"Written in {seconds:.1f} s. Check it: streambench data check {out}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
