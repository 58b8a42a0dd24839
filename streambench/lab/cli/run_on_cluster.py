"""`run --engine spark`: a query on a cluster, with the options that mean something there."""

from __future__ import annotations

import click

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.outputs import Outputs
from streambench.lab.cli.run_options import RunOptions
from streambench.lab.data.catalog import Catalog
from streambench.lab.show.cluster_summary import print_summary
from streambench.lab.show.console import LiveLine
from streambench.lab.show.first_rows import SHOWN_ROWS, print_rows
from streambench.lab.show.names import with_names
from streambench.lab.show.output import parquet
from streambench.queries import query as queries

DEFAULT_MASTER = "local[*]"
TAKEN = ("query", "data", "engine", "master", "workers", "partitions", "parameters")
SHOWN = ("out", "json_out", "names", "quiet", "check")


def run_on_cluster(run: RunOptions) -> None:
    """Run it, print what it took and its answer, and write what was asked for: all or nothing."""
    run.require_out()
    from streambench.lab.cluster.run import (
        run_on_cluster as on_spark,
    )  # and with it PySpark, which takes time to import

    context = click.get_current_context()
    # Options of one machine's engines would change nothing, or another thing than they say.
    others = {str(each.name) for each in context.command.params} - {*TAKEN, *SHOWN}
    refuse_given("is not for --engine spark", *others)
    name = run.query.lower()
    if name not in queries.names():
        raise OptionError(f"--engine spark runs queries only, and {run.query!r} is none.")
    if run.data is None:
        raise click.UsageError("Missing option '--data'.", context)
    data = Catalog.open(run.data)
    outputs = Outputs(run.json_out, {"--out": run.out}, quiet=run.quiet, data=data)
    query = queries.find(name)
    with LiveLine(run.quiet) as line:
        result = on_spark(
            name,
            data,
            master=run.master or DEFAULT_MASTER,
            parameters=run.parameters,
            workers=run.runtime["workers"] or 1,
            partitions=run.runtime["partitions"],
            check=run.check,
            progress=line.step,
            waiting=line.wait,
        )
    print_summary(outputs.console, result, query.title)
    if result.problem is not None:
        raise StreambenchError(f"The run is wrong: {result.problem}{outputs.kept_back}")
    answer = with_names(result.answer, query, data) if run.names else result.answer
    outputs.write({"--out": parquet(answer)}, result.to_json)
    first = with_names(result.answer.slice(0, SHOWN_ROWS), query, data)
    print_rows(outputs.console, "answer", result.answer.num_rows, first)
    outputs.tell(result.to_json)
