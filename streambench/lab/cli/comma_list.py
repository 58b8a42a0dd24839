"""The command line's lists: values with commas between them, as one option takes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from streambench.errors import OptionError

if TYPE_CHECKING:
    Tuples = click.ParamType[tuple[Any, ...]]
else:
    Tuples = click.ParamType  # before click 8.2 it takes no parameter


class CommaList(Tuples):
    """A tuple of values of a ``kind``, each of which ``fits``; blanks around them do not count.

    Any other value, and nothing at all or between two commas, is refused by an OptionError: it says what the option
    ``takes``, and names the value if it is ``one_of_few``, else the whole list.
    """

    def __init__(
        self, name: str, kind: Callable[[str], Any], fits: Callable[[Any], bool], takes: str, one_of_few: bool = False
    ) -> None:
        self.name, self._kind, self._fits, self._takes, self._one_of_few = name, kind, fits, takes, one_of_few

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        """The values of a text; what is no text has been read before."""
        if not isinstance(value, str):
            return tuple(value)
        values = []
        for word in map(str.strip, value.split(",")):
            try:
                values.append(self._kind(word))
            except ValueError:
                values.append(None)
            if not word or values[-1] is None or not self._fits(values[-1]):
                raise OptionError(
                    f"{_called(param)} takes {self._takes}, not {word if word and self._one_of_few else value!r}."
                )
        return tuple(values)


def _called(param: click.Parameter | None) -> str:
    if param is None:
        return "the list"
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name


def words(choices: Sequence[str] = (), *, own: bool = False) -> CommaList:
    """Words, each one of ``choices`` where there are any. ``own``: or something of one's own, module:Class."""
    takes = f"some of {','.join(choices)}{', or module:Class' * own}, with commas" if choices else "names, with commas"

    def fits(word: str) -> bool:
        return not choices or word in choices or (own and ":" in word)

    return CommaList("names", str, fits, takes, one_of_few=bool(choices))


def numbers(kind: type[int] | type[float], least: float | None = None, takes: str | None = None) -> CommaList:
    """Numbers, with ``least`` finite ones from there up; ``takes``: another sentence of what the option takes."""
    what = "whole numbers" if kind is int else "numbers"
    usual = f"{what}, with commas" if least is None else f"{what} from {least:g} up, with commas"

    def fits(number: float) -> bool:
        return least is None or (math.isfinite(number) and number >= least)

    return CommaList("n,.." if kind is int else "x,..", kind, fits, takes or usual)
