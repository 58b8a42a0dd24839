"""`streambench cluster-bench`: queries on a cluster of two workers on this machine, and their targets."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from streambench.cli.comma_list import words
from streambench.errors import OptionError
from streambench.host.machine import describe
from streambench.peers import on_cluster
from streambench.show.console import LiveLine
from streambench.show.output import as_json, check_places, write_all

WAYS = (
    on_cluster.OURS,
    on_cluster.BUCKETS,
    on_cluster.SPARK_SQL,
    on_cluster.ONE_EXECUTOR,
    on_cluster.ONE_CORE,
)


@click.command(name="cluster-bench")
@click.argument("queries", type=words(on_cluster.QUERIES), default=on_cluster.QUERIES, metavar="[q1,q2,q3,q4]")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    metavar="DIR",
    help="A data directory; several of different sizes show how the cost grows.",
)
@click.option(
    "--repeats", type=int, default=5, show_default=True, help="Runs of each, interleaved, after one to warm up."
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), metavar="FILE", help="Write all runs there.")
def command(queries: tuple[str, ...], data: tuple[Path, ...], repeats: int, json_path: Path | None) -> None:
    """Measure queries on a standalone Spark cluster of two workers of one core, started here for it.

    Side by side: ours over files as they are and over buckets, and Spark SQL over the same files on the same cluster;
    ours on one executor, and `run` on one core without Spark. Spark's own start is left out. Whoever answers wrongly
    has no number: the command ends with 1.

    \b
    Examples:
      streambench cluster-bench --data data/sf0.25 --data data/sf1
      streambench cluster-bench q4 --data data/sf1 --repeats 9 --json cluster.json
    """
    if repeats < 1:
        raise OptionError(f"--repeats must be at least 1, not {repeats}.")
    if json_path is not None:
        check_places({"--json": json_path})
    runs = []
    console = Console()
    with LiveLine() as line:
        for directory in data:
            runs += on_cluster.measure(directory, queries, repeats, lambda what: line.wait(what))
    for directory in data:
        here = [run for run in runs if run["data"] == directory.name]
        table = Table(title=f"{directory.name}: seconds, medians of {repeats}", title_justify="left", box=None)
        for name in ("query", "tuples", *WAYS):
            table.add_column(name, justify="left" if name == "query" else "right")
        for query in queries:
            of = [run for run in here if run["query"] == query]
            seconds = [median(run["seconds"] for run in of if run["way"] == way) for way in WAYS]
            table.add_row(query, f"{of[0]['tuples']:,}", *(f"{each:.3f}" for each in seconds))
        console.print(table)
        for target in on_cluster.TARGETS:
            found = on_cluster.ratios(here, target)
            shown = ", ".join(f"{query} {ratio:.2f}" for query, ratio in found.items())
            met = sum(ratio >= target.least for ratio in found.values())
            console.print(
                f"{target.name}, at least {target.least:g}: {shown} ({met} of {len(found)} met)", highlight=False
            )
    if json_path is not None:
        write_all({json_path: as_json({"kind": "cluster-bench", "machine": describe(), "runs": runs})})
