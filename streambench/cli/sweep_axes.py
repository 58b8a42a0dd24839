"""The command-line options that name the values of a sweep's axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from streambench.errors import OptionError
from streambench.micro import KEYS
from streambench.options import ENGINES, PARTITIONERS, PARTITIONINGS, REORDERS, SCHEDULERS
from streambench.sweep.product import listed

Values = tuple[Any, ...]
Parse = Callable[[click.Context, click.Parameter, str | None], Values | None]
Command = TypeVar("Command", bound=Callable[..., Any])


def numbers(kind: type[int] | type[float], least: float) -> Parse:
    """What reads numbers from ``least`` up with commas between them; None where the option was not given."""

    def parse(ctx: click.Context, option: click.Parameter, value: str | None) -> Values | None:
        if value is None:
            return None
        try:
            found = tuple(kind(word) for word in value.split(","))
        except ValueError:
            found = ()
        if not found or not all(math.isfinite(each) and each >= least for each in found):
            what = "whole numbers" if kind is int else "numbers"
            raise OptionError(f"{option.opts[0]} takes {what} from {least:g} up, with commas, not {value!r}.")
        return found

    return parse


def words(choices: Sequence[str] = ()) -> Parse:
    """What reads words with commas between them, some of ``choices`` where there are any."""

    def parse(ctx: click.Context, option: click.Parameter, value: str | None) -> Values | None:
        if value is None:
            return None
        found = tuple(word.strip() for word in value.split(",") if word.strip())
        wrong = [each for each in found if choices and each not in choices]
        if wrong or not found:
            known = f"some of {listed(choices)}" if choices else "names"
            raise OptionError(f"{option.opts[0]} takes {known}, with commas, not {wrong[0] if wrong else value!r}.")
        return found

    return parse


DECLARED: tuple[tuple[str, str, Parse, str], ...] = (
    ("--queries", "NAMES", words(), "Queries over the data: q1,q2,q3,q4,q15."),
    ("--micro", "KINDS", words(), "Parametric pipelines: the kinds of their operators, such as sl,ps,sl-ps."),
    ("--engines", "NAMES", words(ENGINES), "With serial among them, it runs with every unit size.  [default: ordered]"),
    ("--workers", "N,..", numbers(int, 1), "Threads.  [default: one per core]"),
    ("--schedulers", "NAMES", words(SCHEDULERS), f"Heuristics: {listed(SCHEDULERS)}.  [default: ct]"),
    ("--reorders", "NAMES", words(REORDERS), f"Reordering schemes: {listed(REORDERS)}.  [default: nonblocking]"),
    ("--partitionings", "NAMES", words(PARTITIONINGS), f"Worklists: {listed(PARTITIONINGS)}.  [default: hybrid]"),
    ("--partition-by", "NAMES", words(PARTITIONERS), f"How keys are split: {listed(PARTITIONERS)}.  [default: hash]"),
    ("--units", "N,..", numbers(int, 1), "Tuples per work unit.  [default: 1024 with queries, 1 with --micro]"),
    ("--partitions", "N,..", numbers(int, 1), "Of each partitioned operator.  [default: as with run]"),
    ("--keys", "NAMES", words(KEYS), f"How a micro stream's keys are spread: {listed(KEYS)}.  [default: uniform]"),
    ("--sigmas", "X,..", numbers(float, 1e-6), "Of normal keys: the smaller, the more skew.  [default: 1]"),
    ("--exponents", "X,..", numbers(float, 0), "Of zipf keys: the larger, the more skew.  [default: 1]"),
    ("--costs", "US,..", numbers(float, 0), "Microseconds of each parametric operator per tuple.  [default: 10]"),
    ("--selectivities", "X,..", numbers(float, 0), "Outputs per input of the first one.  [default: 1]"),
    ("--state-sizes", "N,..", numbers(int, 1), "Of parametric operators, in 64-bit values.  [default: 16]"),
    ("--tuple-sizes", "N,..", numbers(int, 1), "Of micro streams, in 64-bit values.  [default: 16]"),
    ("--time-slices", "S,..", numbers(float, 1e-6), "Of the scheduler, in seconds.  [default: 1e-4]"),
    ("--windows", "S,..", numbers(float, 1e-6), "Of the scheduler, in seconds.  [default: 1e-2]"),
    ("--capacities", "N,..", numbers(int, 1), "Of the heuristic qst, in tuples.  [default: as with run]"),
)
MICRO_ONLY = ("keys", "sigmas", "exponents", "costs", "selectivities", "state_sizes", "tuple_sizes")
NAMES = tuple(flag.removeprefix("--").replace("-", "_") for flag, *_ in DECLARED)


def axes(command: Command) -> Command:
    """Decorate a command with the options above, in that order."""
    segments = click.option(
        "--segments/--no-segments",
        default=None,
        help="Fuse stateless operators to the one before, or run each by itself, as the paper does.  [default: fuse]",
    )
    command = segments(command)
    for flag, metavar, parse, told in reversed(DECLARED):
        command = click.option(flag, metavar=metavar, callback=parse, help=told)(command)
    return command


def given_axes(given: dict[str, Any]) -> dict[str, Any]:
    """The axes that were given, as ``Product`` takes them."""
    found = {name: given[name] for name in NAMES if given[name] is not None}
    return found if given["segments"] is None else {**found, "segments": (given["segments"],)}
