"""`streambench replay`: the log of a run's decisions, told to the controller of this version."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import argument, command_of, command_options, option
from streambench.lab.cli.outputs import Outputs
from streambench.lab.record import decision_log
from streambench.lab.record.replay import replay
from streambench.lab.show.replay import choices_table, plain, sentence


@command_options
class ReplayOptions:
    """The log, and where to tell of it."""

    log: Path = argument("FILE")
    json_file: Path | None = option(
        "Also write it as JSON.", spelled="--json", type=LocalPath(path_type=Path, allow_dash=True), metavar="FILE|-"
    )


@command_of(ReplayOptions)
def command(options: ReplayOptions) -> None:
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
    log, place = options.log, options.json_file
    if place is not None and place.resolve() == log.resolve():
        raise OptionError(f"--json {place} would replace the log: choose another file.")
    outputs = Outputs(place, {})
    recorded = decision_log.read(log)
    replayed = replay(recorded)
    outputs.console.print(choices_table(replayed.choices))
    for name, (then, now) in recorded.changed_constants().items():
        outputs.note(f"the constant {escape(name)} is {now} now, {then} in the log.")
    outputs.write({}, lambda: plain(recorded, replayed))
    outputs.print_json(lambda: plain(recorded, replayed))
    if replayed.difference is not None:
        raise StreambenchError(f"{log}: the controller {sentence(recorded, replayed)}.")
    outputs.console.print(f"\nThe controller {sentence(recorded, replayed)}.")
