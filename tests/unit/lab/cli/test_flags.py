"""A list of options stands in the help in its order, and a field has its values by name."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner

from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.options import command_of, command_options, group, option

FLAGS = Flags(
    flag("--new-name", type=int, help="A number."),
    flag("--fuse/--no-fuse", default=True, help="On or off."),
    flag("--rest", default="all", help="Words."),
)
SEEN: list[FlagOptions] = []


@command_options
class FlagOptions:
    listed: dict[str, Any] = group(FLAGS)
    own: int = option("Of the command alone.", 0)


@command_of(FlagOptions)
def command(options: FlagOptions) -> None:
    SEEN.append(options)


def read(*words: str) -> dict[str, Any]:
    outcome = CliRunner().invoke(command, words, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return SEEN[-1].listed


def test_what_was_given_is_read_by_name_and_nothing_else_is() -> None:
    assert FLAGS.names == ("new_name", "fuse", "rest")
    assert read("--own", "3") == {"new_name": None, "fuse": True, "rest": "all"}
    assert read("--new-name", "1", "--no-fuse", "--rest", "x") == {"new_name": 1, "fuse": False, "rest": "x"}


def test_the_help_has_the_options_in_the_order_of_the_list() -> None:
    shown = CliRunner().invoke(command, ["--help"]).output
    assert [shown.index(name) for name in ("--new-name", "--fuse", "--rest", "--own")] == sorted(
        shown.index(name) for name in ("--new-name", "--fuse", "--rest", "--own")
    )


def test_two_lists_make_one_in_their_order() -> None:
    assert (FLAGS.only("rest") + FLAGS.only("new_name", "fuse")).names == ("rest", "new_name", "fuse")
