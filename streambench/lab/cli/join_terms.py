"""What `join` compares, as it stands on the command line: x:a:10, u:v, and spans such as 300 or 5min."""

from __future__ import annotations

import math

import click
import pyarrow as pa

from streambench.errors import OptionError
from streambench.pyx.tuples.span import require_span, span_in, unit_of


def parse_bands(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str, int | float | str], ...]:
    """A click callback: bands LEFT:RIGHT:WIDTH. Raises OptionError for what is none."""
    bands = []
    for value in values:
        left, right, width = _names(value, 3, "--band takes a column of each side and a width, such as x:a:10")
        bands.append((left, right, _width(width, value)))
    return tuple(bands)


def parse_equal(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """A click callback: equalities LEFT:RIGHT. Raises OptionError for what is none."""
    pairs = []
    for value in values:
        left, right = _names(value, 2, "--equal takes a column of each side, such as u:v")
        pairs.append((left, right))
    return tuple(pairs)


def parse_time(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, str]:
    """A click callback: a column of both sides, or LEFT:RIGHT. Raises OptionError for what is neither."""
    if ":" not in value and value:
        return value, value
    left, right = _names(value, 2, "--time takes a column, or one of each side such as ts:when")
    return left, right


def _names(value: str, parts: int, takes: str) -> list[str]:
    names = value.split(":")
    if len(names) != parts or not all(names):
        raise OptionError(f"{takes}, not {value!r}; a column with a colon in its name cannot be named here.")
    return names


def _width(text: str, band: str) -> int | float | str:
    for kind in (int, float):
        try:
            width = kind(text)
        except ValueError:
            continue
        if 0 <= width < math.inf:
            return width
    try:
        require_span(text, "the width")
    except ValueError:
        raise OptionError(
            f"--band {band}: the width must be a number from 0 on, or of times a span such as 5min, not {text!r}."
        ) from None
    return text


def parse_span(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """A click callback. Raises OptionError for what is no span."""
    try:
        require_span(value, param.opts[0])
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None
    return value


def counted_in(type: pa.DataType | None, span: str, option: str) -> int:
    """In the unit of a time column of this ``type``; 0 where it is None: there is no such column, as others will say.

    Raises OptionError where it is no whole number of that.
    """
    if type is None:
        return 0
    try:
        return span_in(unit_of(type), span, option)
    except ValueError as problem:
        raise OptionError(f"{problem}.") from None
