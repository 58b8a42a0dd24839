"""The command-line options that say how a pipeline is executed: `run` and `micro` have the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from streambench.errors import OptionError
from streambench.options import ENGINES, PARTITIONERS, PARTITIONINGS, REORDERS, SCHEDULERS, Options

DEFAULT = Options()
SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
# Without queues nothing is scheduled, partitioned or put back in order.
SERIAL_IGNORES = (
    "workers",
    "partitions",
    "partition_by",
    "scheduler",
    "reorder",
    "partitioning",
    "capacity",
    "time_slice",
    "window",
    "credit",
    "segments",
)
NAMES = (*SERIAL_IGNORES, "engine", "unit", "rate", "pin")

Command = TypeVar("Command", bound=Callable[..., Any])


def at_least_one(ctx: click.Context, option: click.Parameter, value: int | None) -> int | None:
    """Refuse 0 and less in one sentence."""
    if value is not None and value < 1:
        raise OptionError(f"{option.opts[0]} must be at least 1, not {value}.")
    return value


def parse_rate(ctx: click.Context, option: click.Parameter, value: str) -> float:
    """Tuples per second from ``max`` (0: as fast as possible), ``1e6``, ``250k`` or ``2M``."""
    if value == "max":
        return 0.0
    match = re.fullmatch(r"([0-9.]+(?:e[+-]?[0-9]+)?)([kmg]?)", value.strip().lower())
    try:
        rate = float(match[1]) * SUFFIXES[match[2]] if match else math.nan
    except ValueError:
        rate = math.nan
    if not (math.isfinite(rate) and rate > 0):
        raise OptionError(f"--rate must be max, or tuples per second above 0 such as 1e6, 250k or 2M, not {value!r}.")
    return rate


DECLARED = (
    click.option(
        "--engine", type=click.Choice(ENGINES), default=DEFAULT.engine, show_default=True, help="What runs it."
    ),
    click.option("--workers", type=int, callback=at_least_one, metavar="N", help="Threads.  [default: one per core]"),
    click.option(
        "--unit", type=int, default=DEFAULT.unit, show_default=True, callback=at_least_one, help="Tuples per work unit."
    ),
    click.option(
        "--partitions",
        type=int,
        callback=at_least_one,
        metavar="N",
        help="Of each partitioned operator.  [default: 8 per worker; 1 per worker with partitioned queues; 1 for one "
        "worker]",
    ),
    click.option(
        "--partition-by",
        type=click.Choice(PARTITIONERS),
        default=DEFAULT.partition_by,
        show_default=True,
        help="How keys get to partitions: by a hash, or by equal ranges of keys.",
    ),
    click.option(
        "--scheduler",
        type=click.Choice(SCHEDULERS),
        default=DEFAULT.scheduler,
        show_default=True,
        help="The heuristic.",
    ),
    click.option(
        "--reorder",
        type=click.Choice(REORDERS),
        default=DEFAULT.reorder,
        show_default=True,
        help="What puts the outputs of concurrent workers back in order.",
    ),
    click.option(
        "--partitioning",
        type=click.Choice(PARTITIONINGS),
        default=DEFAULT.partitioning,
        show_default=True,
        help="The worklist of partitioned operators.",
    ),
    click.option(
        "--capacity",
        type=int,
        callback=at_least_one,
        metavar="N",
        help="Of the heuristic qst, in tuples.  [default: half of what the credit admits]",
    ),
    click.option(
        "--rate",
        default="max",
        show_default=True,
        callback=parse_rate,
        metavar="max|N",
        help="Tuples per second that arrive: 1e6, 250k, 2M, or max.",
    ),
    click.option(
        "--time-slice", type=float, default=DEFAULT.time_slice, show_default=True, help="Of the scheduler, in seconds."
    ),
    click.option(
        "--window", type=float, default=DEFAULT.window, show_default=True, help="Of the scheduler, in seconds."
    ),
    click.option(
        "--credit",
        type=int,
        callback=at_least_one,
        metavar="N",
        help="Units in flight, a power of two.  [default: by unit and workers]",
    ),
    click.option(
        "--segments/--no-segments",
        default=True,
        show_default=True,
        help="Fuse stateless operators to the one before, or run each by itself, as the paper does.",
    ),
    click.option("--pin/--no-pin", default=True, show_default=True, help="Bind each worker to a core."),
)


def runtime_options(command: Command) -> Command:
    """Decorate a command with the options above, in that order."""
    for declare in reversed(DECLARED):
        command = declare(command)
    return command


def runtime_choices(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given for them, as ``Options`` takes it."""
    return {name: given[name] for name in NAMES}


def runtime_notes(ctx: click.Context, engine: str) -> list[str]:
    """What to tell about options that have no effect: not refused, so that one command line serves both engines."""
    typed = click.core.ParameterSource.COMMANDLINE
    useless = [name for name in SERIAL_IGNORES if ctx.get_parameter_source(name) == typed]
    if engine != "serial" or not useless:
        return []
    flags = ", ".join(f"--{name.replace('_', '-')}" for name in useless)
    return [f"the serial engine is one thread without queues: {flags} changes nothing."]
