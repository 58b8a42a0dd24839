"""`run --engine spark`: a query on a cluster, with the options that mean something there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from streambench.errors import OptionError, StreambenchError
from streambench.lab.atomic_file import Writer
from streambench.lab.data.catalog import Catalog
from streambench.lab.show.cluster_summary import print_summary
from streambench.lab.show.console import LiveLine
from streambench.lab.show.first_rows import SHOWN_ROWS, print_rows
from streambench.lab.show.names import with_names
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, parquet, write_all
from streambench.lab.show.run_summary import stream_console
from streambench.queries import query as queries

ON_CLUSTER = "spark"
DEFAULT_MASTER = "local[*]"
TAKEN = ("query", "data", "engine", "master", "workers", "partitions", "parameters")
SHOWN = ("out", "json_out", "names", "quiet", "check")

master = click.option(
    "--master",
    metavar="URL",
    help="Of --engine spark: local[N], spark://HOST:PORT, yarn or k8s://URL.  [default: local[*]]",
)


def run_on_cluster(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Run it, print what it took and its answer, and write what was asked for: all or nothing."""
    from streambench.lab.cluster.run import run_on_cluster as run  # and with it PySpark, which takes time to import

    _refuse_others(ctx)
    name = given["query"].lower()
    if name not in queries.names():
        raise OptionError(f"--engine spark runs queries only, and {given['query']!r} is none.")
    if given["data"] is None:
        raise click.UsageError("Missing option '--data'.", ctx)
    to_stdout = given["json_out"] == STDOUT
    data = Catalog.open(given["data"])
    places = {"--out": given["out"], "--json": None if to_stdout else given["json_out"]}
    check_places({option: place for option, place in places.items() if place is not None}, data)
    console = stream_console(stderr=to_stdout, quiet=given["quiet"])
    query = queries.find(name)
    with LiveLine(given["quiet"]) as line:
        result = run(
            name,
            data,
            master=given["master"] or DEFAULT_MASTER,
            parameters=given["parameters"],
            workers=given["workers"] or 1,
            partitions=given["partitions"],
            check=given["check"],
            progress=line.step,
            waiting=line.wait,
        )
    print_summary(console, result, query.title)
    if result.problem is not None:
        kept_back = " No file was written." if any(places.values()) else ""
        raise StreambenchError(f"The run is wrong: {result.problem}{kept_back}")
    writers: dict[Any, Writer] = {}
    if given["out"] is not None:
        writers[given["out"]] = parquet(with_names(result.answer, query, data) if given["names"] else result.answer)
    if given["json_out"] is not None and not to_stdout:
        writers[given["json_out"]] = as_json(result.to_json())
    write_all(writers)
    print_rows(console, "answer", result.answer.num_rows, with_names(result.answer.slice(0, SHOWN_ROWS), query, data))
    for path in writers:
        console.print(f"written: {path}", soft_wrap=True, markup=False)
    if to_stdout:
        click.echo(json_text(result.to_json()), nl=False)


def _refuse_others(ctx: click.Context) -> None:
    """Options of one machine's engines would change nothing, or another thing than they say."""
    for option in ctx.command.params:
        typed = ctx.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
        if typed and option.name not in (*TAKEN, *SHOWN):
            raise OptionError(f"{option.opts[0]} is not for --engine spark: leave it out.")
