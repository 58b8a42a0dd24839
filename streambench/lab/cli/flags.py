"""Options that stand in one list, which gives them to a command and reads by name what the command was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Flag:
    """An option: how it is spelled, what its value is called where that is another name, and click's settings of it."""

    declared: tuple[str, ...]
    settings: dict[str, Any]

    def __call__(self, command: Command) -> Command:
        """As a decorator, give it to a command."""
        return click.option(*self.declared, **self.settings)(command)


def flag(*declared: str, **settings: Any) -> Flag:
    """One for a list; arguments as `click.option` takes them."""
    return Flag(declared, settings)


class Flags:
    """A list of options, in the order of the help. As a decorator, it gives them all to a command."""

    def __init__(self, *declared: Flag) -> None:
        self._declared = declared
        self.names = tuple(str(each.name) for each in self.options())

    def __call__(self, command: Command) -> Command:
        for each in reversed(self._declared):
            command = each(command)
        return command

    def options(self) -> list[click.Option]:
        """As click has them."""
        return [click.Option(each.declared, **each.settings) for each in self._declared]

    def but(self, spelling: str, **settings: Any) -> Flags:
        """The same list, with other settings of the option ``spelling``."""
        return Flags(
            *(
                Flag(each.declared, {**each.settings, **settings}) if each.declared[0] == spelling else each
                for each in self._declared
            )
        )

    def only(self, *names: str) -> Flags:
        """Those of these names, in the order of the list."""
        return Flags(*(each for each, name in zip(self._declared, self.names, strict=True) if name in names))

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a command was given for them, by name."""
        return {name: given[name] for name in self.names}
