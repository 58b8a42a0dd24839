"""A length of time on the command line, with its unit: 2m, 0.01s, 5ms, 250us."""

from __future__ import annotations

import math
import re

import click

from streambench.errors import OptionError

LONGEST = 1e9
"""Seconds: clocks and waits take no more."""
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}
IN_A_SECOND = {"ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9}  # divided by: 100us is 1e-4, to the last bit


def parse_duration(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A click callback: seconds, above 0. Raises OptionError for what is no length of time, or has no unit."""
    return None if value is None else _seconds(param.opts[0], value)


def parse_durations(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    """The same of several, with commas between them."""
    return None if value is None else tuple(_seconds(param.opts[0], each) for each in value.split(","))


def _seconds(name: str, value: str) -> float:
    text = value.strip().lower()
    match = re.fullmatch(r"(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*([a-zµ]*)", text, re.ASCII)
    if match and not match[2]:
        raise OptionError(f"{name} {text} has no unit: is it {name} {text}ms, or {name} {text}s?")
    length = math.nan
    if match and match[2] in (*SECONDS, *IN_A_SECOND):
        length = float(match[1]) * SECONDS.get(match[2], 1.0) / IN_A_SECOND.get(match[2], 1.0)
    if not length > 0:  # of no number, too
        raise OptionError(f"{name} takes a time such as 5ms, 250us or 0.01s, not {value!r}.")
    if length > LONGEST:
        raise OptionError(f"{name} must be at most {LONGEST:.0f}s, not {value!r}.")
    return length
