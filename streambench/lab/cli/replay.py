"""`streambench replay`: the log of a run's decisions, told to the controller of this version."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.record import decision_log
from streambench.lab.record.replay import replay
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.show.replay import choices_table, plain, sentence
from streambench.lab.show.run_summary import stream_console


@click.command()
@click.argument("log", type=LocalPath(path_type=Path), metavar="FILE")
@click.option(
    "--json",
    "json_file",
    type=LocalPath(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Also write it as JSON.",
)
def command(log: Path, json_file: Path | None) -> None:
    """Tell the controller of this version what it was told in a run, by the log FILE of `run --decisions`, and say
    whether it decides the same.

    The table has its choices: when, the plan, tuples to a unit, units that may be under way, and whether each worker is
    to stay on its core. Neither the data nor the query are needed. Where it decides otherwise, the table ends there,
    the first difference is told, and the exit code is 1: what follows would answer other questions.

    \b
    Examples:
      streambench run q2 --data data/sf0.1 --laps 20 --decisions q2.log.gz
      streambench replay q2.log.gz
      streambench replay q2.log.gz --json - | jq .difference
    """
    to_stdout = json_file == STDOUT
    places = {} if json_file is None or to_stdout else {"--json": json_file}
    if any(path.resolve() == log.resolve() for path in places.values()):
        raise OptionError(f"--json {json_file} would replace the log: choose another file.")
    check_places(places)
    recorded = decision_log.read(log)
    found = replay(recorded)
    console = stream_console(stderr=to_stdout, quiet=False)
    console.print(choices_table(found.choices))
    for name, (then, now) in recorded.changed_constants().items():
        console.print(f"[yellow]note:[/yellow] the constant {escape(name)} is {now} now, {then} in the log.")
    content = plain(recorded, found)
    write_all({path: as_json(content) for path in places.values()})
    if to_stdout:
        click.echo(json_text(content), nl=False)
    if found.difference is not None:
        raise StreambenchError(f"{log}: the controller {sentence(recorded, found)}.")
    console.print(f"\nThe controller {sentence(recorded, found)}.")
