"""`streambench spark stream`: a query over a stream without end, on Spark."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.shared_options import ParameterSet, parameter_set
from streambench.lab.host import interrupts
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.streams.terms import SOURCES, StreamTerms

ENDS = "available-now"
FIRST_ROWS = 10


@command_options
class StreamOptions:
    """What ``StreamTerms`` are made of, and where to write what was done."""

    query: str = argument("[q2|q3|q4|q15]")
    source: str = option("Where rows come from.", "files", type=click.Choice(SOURCES))
    data: Path | None = option(
        "The data directory: the stream of the source files, and for all sources what is looked up.", metavar="DIR"
    )
    place: str | None = option(
        "Of a socket, or of Kafka's brokers, with commas.", spelled="--host", metavar="HOST:PORT"
    )
    topic: str | None = option("Of Kafka: where to read, from its beginning.", metavar="NAME")
    rate: int = option("Of rate: rows per second.", StreamTerms.rate)
    files_per_trigger: int | None = option("Of files: at most so many in a micro-batch.  [default: all]", metavar="N")
    checkpoint: Path = option("Where the stream goes on.", required=True, metavar="DIR")
    out: Path | None = option("The output.  [default: in the checkpoint]", metavar="DIR")
    master: str = option("The Spark master.", StreamTerms.master, metavar="URL")
    trigger: str | None = option(
        f"Time from one micro-batch to the next, such as 500ms, or {ENDS}: what is there, and then end.  "
        f"[default: {ENDS} for files and kafka, else 1s]",
        metavar=f"TIME|{ENDS}",
    )
    lateness: str = option("Rows may come so much later than others.", "0s", metavar="TIME")
    buckets: int = option("Parts of the keys, and tasks.", StreamTerms.buckets)
    parameter_set: ParameterSet = shared(parameter_set)
    json_path: Path | None = option("Also write what was done.", spelled="--json", metavar="FILE|-")

    def terms(self) -> StreamTerms:
        """Raises OptionError for what no stream can be."""
        trigger = self.trigger or (ENDS if self.source in ("files", "kafka") else "1s")
        same = {each.name: getattr(self, each.name) for each in fields(StreamTerms)}
        named = {
            "query": self.query.lower(),
            "lateness": _seconds(self.lateness),
            "trigger": None if trigger == ENDS else _length("--trigger", trigger),
        }
        return StreamTerms(**{**same, **named})


@command_of(StreamOptions)
def command(options: StreamOptions) -> None:
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
    terms, place = options.terms(), options.json_path
    if place is not None and place != STDOUT:
        check_places({"--json": place})
    done = _run(terms, Console(stderr=True))
    if place == STDOUT:
        click.echo(json_text(done), nl=False)
        return
    _print(done)
    if place is not None:
        write_all({place: as_json(done)})


def _length(spelled: str, text: str) -> float:
    seconds = parse_duration(click.get_current_context(), click.Option([spelled]), text)
    assert seconds is not None
    return seconds


def _seconds(lateness: str) -> int:
    if lateness in ("0", "0s"):
        return 0
    seconds = _length("--lateness", lateness)
    if seconds != int(seconds):
        raise OptionError(f"`lateness` is in whole seconds, as event time is, not {lateness}.")
    return int(seconds)


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
        result = answer.answer(opened, terms, work)
    names = {"query": terms.query, "parameters": terms.parameter_set, "source": terms.source, "goes_on": goes_on}
    since = {"late_since_begin": result.late, "keys": result.keys, "waiting": result.waiting}
    return {**names, **total, **since, "output": str(terms.output), "answer": result.table.to_pylist()}


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
