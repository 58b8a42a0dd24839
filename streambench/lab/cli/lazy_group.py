"""A group of commands, a file each, none of which is imported before it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from streambench.errors import OptionError
from streambench.lab.host import interrupts


class LazyGroup(click.Group):
    """Imports a subcommand's module only when it is asked for, so that `--help` stays quick.

    ``listed``: by name what each is for; ``package``: where their modules are, of their names.
    """

    def __init__(self, *args: Any, listed: Mapping[str, str], package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._listed = listed
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._listed)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._listed.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._listed:
            return None
        with interrupts.held():
            module = importlib.import_module(f"{self._package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; what an OptionError calls by names from Python is called as the subcommand spells it."""
        try:
            return super().invoke(ctx)
        except OptionError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if command is None:
                raise
            raise OptionError(error.spelled(lambda name: _spelled(name, command))) from error


def _spelled(name: str, command: click.Command) -> str:
    """How the command spells the option of that name, or of several such; ``name`` itself where it has none."""
    flag = f"--{name.replace('_', '-')}"
    spellings = {name, f"{name}s", flag, f"{flag}s"}
    for option in (each for each in command.params if isinstance(each, click.Option)):
        if flag in option.secondary_opts:
            return flag
        if spellings.intersection((option.name, *option.opts)):
            return option.opts[0]
    return name
