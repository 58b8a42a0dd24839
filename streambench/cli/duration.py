"""A length of time on the command line: 5ms, 250us, 0.01s, or plain seconds."""

from __future__ import annotations

import math
import re

import click

from streambench.errors import OptionError

SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def parse_duration(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A click callback: seconds, above 0. Raises OptionError for what is no length of time."""
    if value is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*(s|ms|us|µs|ns|)", value.strip().lower(), re.ASCII)
    found = float(match[1]) * SECONDS[match[2]] if match else math.nan
    if not (math.isfinite(found) and found > 0):
        raise OptionError(f"{param.opts[0]} takes a time such as 5ms, 250us or 0.01s, not {value!r}.")
    return found
