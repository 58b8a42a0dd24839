"""A span of time on the command line: a number in the unit of the time column, or a duration such as 5min."""

from __future__ import annotations

import click
import pyarrow as pa

from streambench.errors import OptionError
from streambench.pyx.tuples.span import require_span, span_in, unit_of


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
