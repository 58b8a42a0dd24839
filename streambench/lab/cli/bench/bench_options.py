"""Options of benches: how one is declared, and those that several have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.comma_list import words
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.flags import Flag, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import Decorator

TIME = object()
"""What an option takes that is a length of time."""


def axis(spelled: str, kind: Any, help: str, name: str = "", default: Any = None, metavar: str | None = None) -> Flag:
    """An option that takes a ``kind`` of value; its value is called ``name`` where that is not as it is ``spelled``. A
    ``default`` is shown."""
    takes: dict[str, Any] = {"type": kind} if kind is not TIME else {"callback": parse_duration, "metavar": "TIME"}
    shown = {} if default is None else {"default": default, "show_default": True}
    metavar = metavar or (None if shown else {int: "N", float: "X"}.get(kind))
    named = {} if metavar is None else {"metavar": metavar}
    return flag(*(each for each in (spelled, name) if each), **takes, **shown, **named, help=help)


def option(
    spelled: str, kind: Any, help: str, name: str = "", default: Any = None, metavar: str | None = None
) -> Decorator:
    """The same, of a command by itself."""
    declared = axis(spelled, kind, help, name, default, metavar)
    return click.option(*declared.declared, **declared.settings)


def preset_option(presets: Any, help: str) -> Decorator:
    """``--preset``: quick where none is named."""
    return option("--preset", click.Choice(tuple(presets)), help, default="quick")


def data_directory(help: str) -> Decorator:
    """``--data`` of a bench over queries alone."""
    return option("--data", LocalPath(path_type=Path), help, metavar="DIR")


def scale_factor(default: float) -> Decorator:
    """``--scale-factor`` of what is generated."""
    help = "Size of the generated data; it is kept in data/ for the next time."
    return option("--scale-factor", float, help, default=default)


def some_of(spelled: str, choices: Any, help: str, name: str = "") -> Decorator:
    """Several of the ``choices``."""
    return option(spelled, words(tuple(choices)), help, name, metavar="NAME,..")
