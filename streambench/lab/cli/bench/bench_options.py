"""Fields of benches' options that several benches have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from streambench.lab.cli.comma_list import words
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.options import option


def seconds(help: str, default: str | None = None, spelled: str = "") -> Any:
    """A field that a length of time fills, in seconds."""
    return option(help, default, spelled, callback=parse_duration, metavar="TIME")


def preset_option(presets: Iterable[str], help: str) -> Any:
    """``--preset``: quick where none is named."""
    return option(help, "quick", type=click.Choice(tuple(presets)))


def data_directory(help: str) -> Any:
    """``--data`` of a bench over queries alone."""
    return option(help, metavar="DIR")


def scale_factor(default: float) -> Any:
    """``--scale-factor`` of what is generated."""
    return option("Size of the generated data; it is kept in data/ for the next time.", default)


def some_of(choices: Iterable[str], help: str, spelled: str = "") -> Any:
    """A field that several of the ``choices`` fill."""
    return option(help, spelled=spelled, type=words(tuple(choices)), metavar="NAME,..")
