"""Lists on the command line: blanks do not count, an empty place is refused, and one sentence says what is taken."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from streambench.errors import OptionError
from streambench.lab.cli.comma_list import CommaList, numbers, words


def read(kind: CommaList, *given: str, **how: Any) -> Any:
    """What a command gets from ``--some`` with a list of this kind."""
    got = []

    @click.command()
    @click.option("--some", type=kind, **how)
    def command(some: Any) -> None:
        got.append(some)

    CliRunner().invoke(command, given, standalone_mode=False, catch_exceptions=False)
    return got[0]


@pytest.mark.parametrize(
    ("kind", "text", "values"),
    [
        (words(), "a", ("a",)),
        (words(), " b , a,b", ("b", "a", "b")),
        (words(("lp", "ct")), "ct,lp", ("ct", "lp")),
        (numbers(int, 1), "3, 1,2", (3, 1, 2)),
        (numbers(float, 0), "0,1e-3", (0.0, 0.001)),
        (numbers(float), "-1,inf", (-1.0, float("inf"))),
    ],
)
def test_a_list_is_its_values_in_the_order_given(kind: CommaList, text: str, values: tuple[Any, ...]) -> None:
    assert read(kind, "--some", text) == values
    assert read(kind, default=text) == values
    assert read(kind, default=values) == values


def test_a_list_that_is_not_given_is_none() -> None:
    assert read(words()) is None


@pytest.mark.parametrize("text", ["", " ", ",", "1,", ",1", "1,,2"])
@pytest.mark.parametrize("kind", [words(), words(("1", "2")), numbers(int, 1), numbers(float)])
def test_an_empty_place_is_refused(kind: CommaList, text: str) -> None:
    with pytest.raises(OptionError, match=f"--some takes .*, with commas, not {text!r}"):
        read(kind, "--some", text)


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        (words(("lp", "ct")), "lp, best", "--some takes some of lp,ct, with commas, not 'best'."),
        (numbers(int, 1), "1,0", "--some takes whole numbers from 1 up, with commas, not '1,0'."),
        (numbers(int, 1), "1.5", "--some takes whole numbers from 1 up, with commas, not '1.5'."),
        (numbers(float, 1e-6), "inf", "--some takes numbers from 1e-06 up, with commas, not 'inf'."),
        (numbers(float, 0), "nan", "--some takes numbers from 0 up, with commas, not 'nan'."),
        (numbers(float, takes="one for each"), "x", "--some takes one for each, not 'x'."),
    ],
)
def test_what_the_option_takes_is_said_in_one_sentence(kind: CommaList, text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as refused:
        read(kind, "--some", text)
    assert str(refused.value) == sentence
