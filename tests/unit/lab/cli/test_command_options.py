"""A command's options are a frozen dataclass that its command line fills: each field says what stands there."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any, Literal

import pytest
from click.testing import CliRunner

from streambench.lab.cli.flags import Flags, flag
from streambench.lab.cli.options import argument, command_of, command_options, group, option, shared

ENGINE = Flags(flag("--workers", type=int), flag("--half-life", "window", default="1s"))


@command_options
class MadeOptions:
    source: Path = argument("FILE")
    size: int = option("How many.", 3)
    kind: Literal["hash", "range"] | None = option("Which.")
    check: bool = option("Look again.", True, "--check/--no-check")
    preload: bool | None = option("Hold it.", spelled="--preload/--no-preload")
    profile: bool = option("Tell.", spelled="--worker-time")
    engine: dict[str, Any] = group(ENGINE)
    quiet: bool = shared(flag("--quiet", is_flag=True, help="Say nothing."))


SEEN: list[MadeOptions] = []


@command_of(MadeOptions)
def command(given: MadeOptions) -> None:
    """Do it."""
    SEEN.append(given)


def read(*words: str) -> MadeOptions:
    outcome = CliRunner().invoke(command, words, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return SEEN[-1]


def test_what_is_left_out_has_its_default() -> None:
    given = read("a.parquet")
    assert (given.source, given.size, given.kind, given.check) == (Path("a.parquet"), 3, None, True)
    assert (given.preload, given.profile, given.engine, given.quiet) == (
        None,
        False,
        {"workers": None, "window": "1s"},
        False,
    )


def test_values_come_in_the_types_of_their_fields() -> None:
    given = read(
        "a", "--size", "7", "--kind", "range", "--no-check", "--no-preload", "--worker-time", "--half-life", "2s"
    )
    assert (given.size, given.kind, given.check, given.preload, given.profile) == (7, "range", False, False, True)
    assert given.engine["window"] == "2s"


@pytest.mark.parametrize("words", [("--size", "x"), ("--kind", "other")])
def test_a_value_of_another_type_is_refused(words: tuple[str, str]) -> None:
    assert CliRunner().invoke(command, ["a", *words]).exit_code == 2


def test_options_cannot_be_changed_on_their_way() -> None:
    with pytest.raises(FrozenInstanceError):
        read("a").size = 4  # type: ignore[misc]


def test_the_help_has_the_fields_in_order_with_their_defaults() -> None:
    shown = CliRunner().invoke(command, ["--help"]).output
    names = ("--size", "--kind", "--check", "--preload", "--worker-time", "--workers", "--half-life", "--quiet")
    assert [shown.index(name) for name in names] == sorted(shown.index(name) for name in names)
    assert "Do it." in shown
    assert "[default: 3]" in shown
