"""`streambench spark stream`: a query over a stream without end, on Spark."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import parameter_set
from streambench.lab.host import interrupts
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.streams.terms import SOURCES, StreamTerms

ENDS = "available-now"
FIRST_ROWS = 10


@click.command()
@click.argument("query", metavar="[q2|q3|q4|q15]")
@click.option("--source", type=click.Choice(SOURCES), default="files", show_default=True, help="Where rows come from.")
@click.option(
    "--data",
    type=LocalPath(path_type=Path),
    metavar="DIR",
    help="The data directory: the stream of the source files, and for all sources what is looked up.",
)
@click.option("--host", "place", metavar="HOST:PORT", help="Of a socket, or of Kafka's brokers, with commas.")
@click.option("--topic", metavar="NAME", help="Of Kafka: where to read, from its beginning.")
@click.option("--rate", type=int, default=StreamTerms.rate, show_default=True, help="Of rate: rows per second.")
@click.option(
    "--files-per-trigger", type=int, metavar="N", help="Of files: at most so many in a micro-batch.  [default: all]"
)
@click.option(
    "--checkpoint", type=LocalPath(path_type=Path), required=True, metavar="DIR", help="Where the stream goes on."
)
@click.option("--out", type=LocalPath(path_type=Path), metavar="DIR", help="The output.  [default: in the checkpoint]")
@click.option("--master", default=StreamTerms.master, show_default=True, metavar="URL", help="The Spark master.")
@click.option(
    "--trigger",
    metavar=f"TIME|{ENDS}",
    help=f"Time from one micro-batch to the next, such as 500ms, or {ENDS}: what is there, and then end.  "
    f"[default: {ENDS} for files and kafka, else 1s]",
)
@click.option(
    "--lateness", default="0s", show_default=True, metavar="TIME", help="Rows may come so much later than others."
)
@click.option(
    "--buckets", type=int, default=StreamTerms.buckets, show_default=True, help="Parts of the keys, and tasks."
)
@parameter_set
@click.option("--json", "json_path", type=LocalPath(path_type=Path), metavar="FILE|-", help="Also write what was done.")
@click.pass_context
def command(
    ctx: click.Context,
    query: str,
    source: str,
    data: Path | None,
    place: str | None,
    topic: str | None,
    rate: int,
    files_per_trigger: int | None,
    checkpoint: Path,
    out: Path | None,
    master: str,
    trigger: str | None,
    lateness: str,
    buckets: int,
    parameters: str,
    json_path: Path | None,
) -> None:
    """Run a query as a stream on Spark, with its compiled operators, exactly once, from where it last stopped.

    Rows wait until the watermark has passed them, and then go through the operators in replay order. What a micro-batch
    adds to the answer goes to the output, a row that came too late, too. The answer that is printed at the end is that
    of all rows so far, as if the stream ended here.

    \b
    Examples:
      streambench spark stream q4 --data data/sf0.05 --checkpoint carts
      streambench spark stream q4 --source socket --host localhost:9999 --data data/sf0.05 --checkpoint carts
      streambench spark stream q2 --source kafka --host localhost:9092 --topic clicks --checkpoint pairs --trigger 1s
    """
    if trigger is None:
        trigger = ENDS if source in ("files", "kafka") else "1s"
    terms = StreamTerms(
        query.lower(),
        source,
        checkpoint,
        parameter_set=parameters,
        data=data,
        place=place,
        topic=topic,
        rate=rate,
        lateness=_seconds(ctx, lateness),
        buckets=buckets,
        master=master,
        trigger=None if trigger == ENDS else _length(ctx, "--trigger", trigger),
        out=out,
        files_per_trigger=files_per_trigger,
    )
    if json_path is not None and json_path != STDOUT:
        check_places({"--json": json_path})
    done = _run(terms, Console(stderr=True))
    if json_path == STDOUT:
        click.echo(json_text(done), nl=False)
        return
    _print(done)
    if json_path is not None:
        write_all({json_path: as_json(done)})


def _length(ctx: click.Context, option: str, text: str) -> float:
    found = parse_duration(ctx, click.Option([option]), text)
    assert found is not None
    return found


def _seconds(ctx: click.Context, lateness: str) -> int:
    if lateness in ("0", "0s"):
        return 0
    found = _length(ctx, "--lateness", lateness)
    if found != int(found):
        raise OptionError(f"`lateness` is in whole seconds, as event time is, not {lateness}.")
    return int(found)


def _run(terms: StreamTerms, messages: Console) -> dict[str, Any]:
    with interrupts.held():
        from streambench.datagen import spark
        from streambench.lab.streams import answer, checkpoint, run
        from streambench.lab.streams.session import session

    work = run.work_of(terms)
    with session(terms.master, terms.buckets) as opened:
        spark.require_names(opened.sparkContext, terms.checkpoint, terms.output, terms.data)
        stepped = run.stepped(opened, terms, work)
        goes_on = checkpoint.claim(terms)
        total: dict[str, Any] = {"batches": 0, "rows": 0, "unreadable": 0, "late": 0, "seconds": 0.0}

        def tell(batch: run.Batch) -> None:
            total["batches"] += 1
            total["seconds"] += batch.seconds
            for name in ("rows", "unreadable", "late"):
                total[name] += getattr(batch, name)
            speed = batch.rows / batch.seconds if batch.seconds else 0.0
            messages.print(
                f"batch {batch.number}: {batch.rows:,} rows, {speed:,.0f} rows/s, state of {batch.keys:,} keys, "
                f"{batch.late:,} late, {batch.unreadable:,} unreadable",
                highlight=False,
            )

        begun = time.monotonic()
        planned = terms.trigger is None and checkpoint.has_planned(terms)
        run.follow(run.begin(stepped, terms), tell)
        if planned:  # Spark has made what was planned before, and ended there
            run.follow(run.begin(stepped, terms), tell)
        total["wall_seconds"] = time.monotonic() - begun
        found = answer.answer(opened, terms, work)
    names = {"query": terms.query, "parameters": terms.parameter_set, "source": terms.source, "goes_on": goes_on}
    since = {"late_since_begin": found.late, "keys": found.keys, "waiting": found.waiting}
    return {**names, **total, **since, "output": str(terms.output), "answer": found.table.to_pylist()}


def _print(done: dict[str, Any]) -> None:
    speed = done["rows"] / done["seconds"] if done["seconds"] else 0.0
    click.echo(
        f"{done['query']} {'went on' if done['goes_on'] else 'began'}: {done['rows']:,} rows in "
        f"{done['batches']:,} micro-batches, {speed:,.0f} rows/s"
    )
    click.echo(
        f"late {done['late']:,} ({done['late_since_begin']:,} since the stream began), "
        f"unreadable {done['unreadable']:,}; state of {done['keys']:,} keys, {done['waiting']:,} rows wait"
    )
    click.echo(f"output in {done['output']}")
    for row in done["answer"][:FIRST_ROWS]:
        click.echo("  " + ", ".join(f"{name} {value}" for name, value in row.items()))
    if len(done["answer"]) > FIRST_ROWS:
        click.echo(f"  ... {len(done['answer']) - FIRST_ROWS:,} more rows of the answer (--json)")
