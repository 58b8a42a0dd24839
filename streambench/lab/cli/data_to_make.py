"""Options of data that a command generates where none is named: refused before anything starts."""

from __future__ import annotations

from typing import Any

import click

from streambench.errors import OptionError
from streambench.lab.data.generated import require_generated


def check_data_to_make(*names: str) -> None:
    """Of the command that runs. ``names``: its options that say what data to make, such as ``scale_factor``.

    Raises OptionError for one that was given along with --data, DatagenError for a value that no data can have.
    """
    context = click.get_current_context()
    values: dict[str, Any] = {name: context.params[name] for name in names if context.params[name] is not None}
    if context.params["data"] is None:
        require_generated(**values)
    elif spelled := typed(context, values):
        raise OptionError(f"--data names data that is there, {spelled[0]} data to be made: leave one of them out.")


def refuse_given(why: str, *names: str) -> None:
    """Raise OptionError, ``why`` they would be ignored, for options that the command line has."""
    if spelled := typed(click.get_current_context(), names):
        raise OptionError(f"{spelled[0]} {why}: leave it out.")


def typed(context: click.Context, names: Any) -> list[str]:
    """Those of the options that stand on the command line, as they are written."""
    source = click.core.ParameterSource.COMMANDLINE
    return [
        option.opts[0]
        for option in context.command.params
        if option.name in names and context.get_parameter_source(option.name or "") == source
    ]
