"""`streambench datagen`: generate the tables, or check a directory of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from streambench.datagen import check, generate, manifest
from streambench.datagen.errors import DatagenError
from streambench.datagen.model import PROFILES, Options
from streambench.lab.cli.local_path import LocalPath

if TYPE_CHECKING:
    from streambench.datagen.checking.check import Report


@click.command(name="datagen", no_args_is_help=True)
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
@click.option("--overwrite", is_flag=True, help="Replace a directory that datagen or ingest made.")
@click.option(
    "--check", "check_dir", type=LocalPath(path_type=Path), metavar="DIR", help="Check DIR; generate nothing."
)
@click.pass_context
def command(
    ctx: click.Context,
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
    check_dir: Path | None,
) -> None:
    """Generate the tables as Parquet files in replay order: store_sales, web_clickstreams, ad_events, item, web_page,
    date_dim and ads.

    Without any option this help is shown, and nothing is written.

    The rows depend on the scale factor, the days, the seed, the profile and the edges only: not on cores, executors
    or partitions. A manifest is written last. A directory that holds _INCOMPLETE, because its writing was interrupted,
    is refused by every other command; one made by hand needs no manifest, save for --check.

    With --check nothing is generated: DIR is compared with its manifest (rows and hashes), with the replay order, and
    with the distributions and the edges that its parameters promise. Exit code 1 if anything does not match.

    \b
    Examples:
      streambench datagen --scale-factor 0.1
      streambench datagen --scale-factor 1 --days 7 --seed 42 --out data/week
      streambench datagen --profile pdgf --scale-factor 0.01 --out data/pdgf --overwrite
      streambench datagen --scale-factor 100 --master spark://head:7077 --out /shared/sf100
      streambench datagen --scale-factor 100 --buckets 64 --out /shared/sf100b
      streambench datagen --check data/sf0.1
    """
    if check_dir is not None:
        given = [
            name
            for name in ctx.params
            if name != "check_dir" and ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE
        ]
        if given:
            raise click.UsageError(f"--check takes no other option, so leave out --{given[0].replace('_', '-')}.")
        _check(check_dir)
        return
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
    with _reporter("starting Spark") as reporter:
        made = generate(out, **how, master=master, overwrite=overwrite, progress=reporter)
    _print_summary(out, made, time.monotonic() - began)


class _Reporter:
    """Turns (name, fraction) calls into one bar per name, and where there is no terminal into a line as each begins.

    Until the first call ``first`` tells what is awaited.
    """

    def __init__(self, console: Console, bars: Progress, first: str) -> None:
        self._console = console
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._waiting: TaskID | None = bars.add_task(first, total=None)
        self._say(first)

    def __call__(self, name: str, fraction: float) -> None:
        if self._waiting is not None:
            self._bars.remove_task(self._waiting)
            self._waiting = None
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=1.0)
            self._say(name)
        self._bars.update(self._tasks[name], completed=fraction)
        if fraction >= 1.0:
            self._bars.stop_task(self._tasks[name])

    def _say(self, step: str) -> None:
        if not self._console.is_terminal:
            self._console.print(f"streambench datagen: {step}", highlight=False, markup=False, soft_wrap=True)


@contextmanager
def _reporter(first: str) -> Iterator[_Reporter]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<20}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield _Reporter(console, bars, first)


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
        f"Written in {seconds:.1f} s. Check it: streambench datagen --check {out}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def _check(directory: Path) -> None:
    manifest.read(directory)  # refused before anything is shown
    with _reporter("reading the manifest") as reporter:
        report = check(directory, progress=reporter)
    Console().print(_report_table(directory, report))
    failed = report.failed
    if failed:
        raise DatagenError(
            f"{len(failed)} of {len(report.findings)} checks of {directory} failed, first: "
            f"{failed[0].name} is {failed[0].measured}, expected {failed[0].expected}."
        )


def _report_table(directory: Path, report: Report) -> Table:
    table = Table(title=f"{escape(str(directory))}: {len(report.findings)} checks")
    table.add_column("what", overflow="fold")
    for name in ("measured", "expected", "tolerance"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("")
    for finding in report.findings:
        mark = "[green]ok[/green]" if finding.ok else "[bold red]FAIL[/bold red]"
        table.add_row(finding.name, finding.measured, finding.expected, finding.tolerance, mark)
    return table
