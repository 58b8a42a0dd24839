"""The command-line options that say how a pipeline is executed: `run` and `micro` have the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import click
from rich.console import Console

from streambench import arrivals
from streambench.errors import OptionError
from streambench.limits import allowed_cpus
from streambench.options import ENGINES, PARTITIONERS, PARTITIONINGS, REORDERS, SCHEDULERS, SHARDED, Options
from streambench.placement import PLACES

DEFAULT = Options()
SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
# Without queues nothing is scheduled, partitioned or put back in order.
SERIAL_IGNORES = (
    "workers",
    "partitions",
    "partition_by",
    "plan",
    "latency_target",
    "scheduler",
    "reorder",
    "partitioning",
    "capacity",
    "time_slice",
    "window",
    "credit",
    "segments",
)
NAMES = (*SERIAL_IGNORES, "engine", "unit", "rate", "pin", "place")
# What only the paper's schemes have, and what they have not.
SHARDED_IGNORES = ("time_slice", "window", "capacity")
UNIT_CHOOSERS = ("latency_target",)
ONE_WORKER_IGNORES = ("plan", "credit")

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
        "--unit",
        type=int,
        callback=at_least_one,
        metavar="N",
        help="Tuples per work unit.  [default: chosen while it runs; 4096 for serial, 1024 with the paper's schemes]",
    ),
    click.option(
        "--plan",
        default=DEFAULT.plan,
        show_default=True,
        metavar="PLAN",
        help="Where the pipeline is cut into segments: auto (chosen while it runs), fused (one worker does all), "
        "serial (a cut before every keyed or stateful operator), sharded (and keyed ones by partition), or places of "
        "operators such as '2|3*|5', * by partition.",
    ),
    click.option(
        "--latency-target",
        type=float,
        default=DEFAULT.latency_target,
        show_default=True,
        help="Seconds that the chosen unit aims at.",
    ),
    click.option(
        "--partitions",
        type=int,
        callback=at_least_one,
        metavar="N",
        help="Of each partitioned operator.  [default: 2 per worker with a core; with the paper's schemes 8, with "
        "partitioned queues 1; 1 for one worker]",
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
        help="The paper's schemes, with this heuristic.  [default: ct, if another scheme is named]",
    ),
    click.option(
        "--reorder",
        type=click.Choice(REORDERS),
        help="The paper's schemes, with this to order outputs.  [default: nonblocking, if another scheme is named]",
    ),
    click.option(
        "--partitioning",
        type=click.Choice((SHARDED, *PARTITIONINGS)),
        help="sharded: whole units by plan; or one of the paper's worklists of partitioned operators.  "
        "[default: sharded; hybrid, if another of the paper's schemes is named]",
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
        help="Units in flight at most, a power of two.  [default: by unit and workers; with --rate as few as keep up]",
    ),
    click.option(
        "--segments/--no-segments",
        default=True,
        show_default=True,
        help="Fuse stateless operators to the one before, or run each by itself, as the paper does.",
    ),
    click.option("--pin/--no-pin", default=True, show_default=True, help="Bind each worker to a core."),
    click.option(
        "--place",
        type=click.Choice(PLACES),
        default=DEFAULT.place,
        show_default=True,
        help="The cores that workers take first: near each other (cache, then NUMA node), far apart, or as listed.",
    ),
)


def runtime_options(command: Command) -> Command:
    """Decorate a command with the options above, in that order."""
    for declare in reversed(DECLARED):
        command = declare(command)
    return command


def runtime_choices(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given for them, as ``Options`` takes it."""
    return {name: given[name] for name in NAMES}


def runtime_notes(ctx: click.Context, options: Options) -> list[str]:
    """What to tell about options that have no effect: not refused, so that one command line serves both engines."""
    typed = click.core.ParameterSource.COMMANDLINE
    notes = []
    for why, ignored in _without_effect(options):
        useless = [f"--{name.replace('_', '-')}" for name in ignored if ctx.get_parameter_source(name) == typed]
        notes += [f"{why}: {', '.join(useless)} changes nothing."] if useless else []
    return notes


def tell_if_long(console: Console, tuples: int, rate: float) -> None:
    """Say how long the stream takes to arrive, before it begins to, where that is long; refuse what is absurd."""
    arrivals.require_end(tuples, rate)
    sentence = arrivals.long_one(tuples, rate)
    if sentence is not None:
        console.print(f"[yellow]note:[/yellow] {sentence}")


def _without_effect(options: Options) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Why, and which."""
    if options.engine == "serial":
        yield "the serial engine is one thread without queues", SERIAL_IGNORES
    elif options.sharded:
        yield "without --scheduler, --reorder or --partitioning there is no scheduler", SHARDED_IGNORES
        if options.working_workers() == 1:
            yield "one worker does all by itself", ONE_WORKER_IGNORES
        if options.unit is not None and not (options.rate and options.credit is None):  # it bounds what is in flight
            yield "the unit is given", UNIT_CHOOSERS
    else:
        yield "the paper's schemes keep the unit that they are given", UNIT_CHOOSERS
        if options.scheduler != "qst":
            yield "only the heuristic qst has a capacity", ("capacity",)
    if not options.pin:
        yield "with --no-pin the system places the workers", ("place",)
    elif options.working_workers() > len(allowed_cpus()):
        yield "more workers than cores are not bound to any", ("place",)
