"""A span of time on the command line: a number in the unit of the time column, or a duration such as 5min."""

from __future__ import annotations

import re
from dataclasses import dataclass

import click
import pyarrow as pa
import pyarrow.types as is_

from streambench.errors import OptionError

NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}


@dataclass(frozen=True)
class Span:
    """``number`` of ``unit``, of the time column's own where that is empty; ``option`` is what it was given for."""

    option: str
    number: int
    unit: str = ""

    def of(self, type: pa.DataType | None) -> int:
        """In the unit of a time column of this ``type``, None: not known. Raises OptionError where it does not fit."""
        if not self.unit or type is None:
            return self.number
        own = _unit(type)
        if own is None:
            raise OptionError(
                f"{self.option} {self}: the time column holds {type}, whose unit is not known: give a plain number."
            )
        spans, rest = divmod(self.number * NANOSECONDS[self.unit], NANOSECONDS[own])
        if rest:
            raise OptionError(
                f"{self.option} {self} is no whole number of {own}, the unit of the time column ({type})."
            )
        return spans

    def __str__(self) -> str:
        return f"{self.number}{self.unit}"


def parse_span(ctx: click.Context, param: click.Parameter, value: str) -> Span:
    """A click callback. Raises OptionError for what is no span."""
    option = param.opts[0]
    match = re.fullmatch(rf"(\d{{1,30}})({'|'.join(NANOSECONDS)})?", value.strip(), re.ASCII)
    if match is None or int(match[1]) >= 2**63:
        raise OptionError(
            f"{option} takes a whole number from 0 up, in the unit of the time column, or one with "
            f"{', '.join(NANOSECONDS)} behind it, not {value!r}."
        )
    return Span(option, int(match[1]), match[2] or "")


def _unit(type: pa.DataType) -> str | None:
    if is_.is_date(type):
        return "d" if is_.is_date32(type) else "ms"
    return type.unit if is_.is_timestamp(type) or is_.is_duration(type) or is_.is_time(type) else None
