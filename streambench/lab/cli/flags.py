"""Options that stand in one list, which a field of a command's options takes as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Flag:
    """An option: how it is spelled, what its value is called where that is another name, and click's settings of it."""

    declared: tuple[str, ...]
    settings: dict[str, Any]


def flag(*declared: str, **settings: Any) -> Flag:
    """One for a list; arguments as `click.option` takes them."""
    return Flag(declared, settings)


class Flags:
    """A list of options, in the order of the help."""

    def __init__(self, *declared: Flag) -> None:
        self._declared = declared
        self.names = tuple(str(each.name) for each in self.options())

    def __add__(self, more: Flags) -> Flags:
        return Flags(*self._declared, *more._declared)

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

    def values(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Their values among a command's ``parameters``, by name."""
        return {name: parameters[name] for name in self.names}
