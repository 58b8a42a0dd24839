"""A list of options gives them to a command in its order, and reads by name what the command was given."""

from __future__ import annotations

from typing import Any

import click
from click.testing import CliRunner

from streambench.lab.cli.flags import Flags, flag

FLAGS = Flags(
    flag("--new-name", type=int, help="A number."),
    flag("--fuse/--no-fuse", default=True, help="On or off."),
    flag("--rest", default="all", help="Words."),
)
SEEN: list[dict[str, Any]] = []


@click.command()
@FLAGS
@click.option("--own", default=0)
def command(**given: Any) -> None:
    SEEN.append(FLAGS.values(given))


def read(*words: str) -> dict[str, Any]:
    outcome = CliRunner().invoke(command, words, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return SEEN[-1]


def test_what_was_given_is_read_by_name_and_nothing_else_is() -> None:
    assert FLAGS.names == ("new_name", "fuse", "rest")
    assert read("--own", "3") == {"new_name": None, "fuse": True, "rest": "all"}
    assert read("--new-name", "1", "--no-fuse", "--rest", "x") == {"new_name": 1, "fuse": False, "rest": "x"}


def test_the_help_has_the_options_in_the_order_of_the_list() -> None:
    shown = CliRunner().invoke(command, ["--help"]).output
    assert [shown.index(name) for name in ("--new-name", "--fuse", "--rest", "--own")] == sorted(
        shown.index(name) for name in ("--new-name", "--fuse", "--rest", "--own")
    )
