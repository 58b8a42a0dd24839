"""`streambench data generate`: the tables of TPCx-BB, by Spark."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from streambench.datagen import generate, manifest
from streambench.datagen.model import PROFILES, Options
from streambench.lab.cli.data.steps import told_by_step
from streambench.lab.cli.local_path import LocalPath


@click.command(no_args_is_help=True)
@click.option(
    "--scale-factor", type=float, default=1.0, show_default=True, help="Size, from 0.001 up; 1 is 6.8 M clicks."
)
@click.option("--days", type=int, default=30, show_default=True, help="Days of event time that the streams span.")
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed gives the same rows in the same order."
)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="session",
    show_default=True,
    help="session: clicks of a visit follow each other within minutes. pdgf: at random seconds of a day. heavy: as "
    "session, with tickets as long as a real shop's: 10 items in the middle, 1,110 at most.",
)
@click.option("--out", type=LocalPath(path_type=Path), help="Directory to write.  [default: data/sf<SCALE FACTOR>]")
@click.option(
    "--master", default="local[*]", show_default=True, help="Spark master: local[N], spark://HOST:PORT, yarn …"
)
@click.option("--partitions", type=int, help="Files of each fact table.  [default: one for each 2 M rows]")
@click.option("--buckets", type=int, help="Lay clicks out in so many files by user, sales by ticket: for clusters.")
@click.option(
    "--edges/--no-edges",
    default=True,
    show_default=True,
    help="Some 390 rows on purpose at the edges of what the queries compare, such as gaps of exactly an hour.",
)
@click.option("--overwrite", is_flag=True, help="Replace a directory that `data generate` or `data ingest` made.")
def command(
    scale_factor: float,
    days: int,
    seed: int,
    profile: str,
    out: Path | None,
    master: str,
    partitions: int | None,
    buckets: int | None,
    edges: bool,
    overwrite: bool,
) -> None:
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
    out = out if out is not None else Path("data") / f"sf{scale_factor:g}"
    began = time.monotonic()
    how: dict[str, Any] = {
        "scale_factor": scale_factor,
        "days": days,
        "seed": seed,
        "profile": profile,
        "partitions": partitions,
        "edges": edges,
        "buckets": buckets,
    }
    Options(**how)  # refused before anything is shown
    manifest.refuse_in_use(out, overwrite)
    with told_by_step("generate", "starting Spark") as reporter:
        made = generate(out, **how, master=master, overwrite=overwrite, progress=reporter)
    _print_summary(out, made, time.monotonic() - began)


def _print_summary(out: Path, made: dict[str, Any], seconds: float) -> None:
    parameters = made["parameters"]
    table = Table(
        title=f"{escape(str(out))}: scale factor {parameters['scale_factor']:g}, seed {parameters['seed']}, "
        f"{parameters['days']} days, profile {parameters['profile']}, {len(parameters['edges'])} edges"
    )
    table.add_column("table")
    for name in ("rows", "files", "MB"):
        table.add_column(name, justify="right")
    table.add_column("sha256 of the rows")
    for name, entry in made["tables"].items():
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
