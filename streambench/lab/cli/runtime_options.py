"""The command-line options that say how a pipeline is executed: `run` and `micro` have the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click
from rich.console import Console

from streambench.errors import OptionError
from streambench.execution import arrivals, plans
from streambench.execution.arrival_process import ARRIVALS
from streambench.execution.options import ENGINES, HEURISTICS, PARTITIONERS, PARTITIONINGS, REORDERS, ROUTINGS, Options
from streambench.execution.settled import settle
from streambench.host.limits import allowed_cpus
from streambench.host.placement import PLACES
from streambench.lab.cli.data_to_make import typed
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.flags import Flag, Flags, flag
from streambench.lab.cli.options import option

DEFAULT = Options()
SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


def at_least_one(ctx: click.Context, option: click.Parameter, value: int | None) -> int | None:
    """Refuse 0 and less in one sentence."""
    if value is not None and value < 1:
        raise OptionError(f"{option.opts[0]} must be at least 1, not {value}.")
    return value


def count(
    help: str, default: int | None = None, spelled: str = "", metavar: str | None = "N", most: int | None = None
) -> Any:
    """A field of a command's options that is a number from 1 up, and to ``most``."""

    def bounded(ctx: click.Context, option: click.Parameter, value: int | None) -> int | None:
        if most is not None and value is not None and value > most:
            raise OptionError(f"{option.opts[0]} must be at most {most}, not {value}.")
        return at_least_one(ctx, option, value)

    return option(help, default, spelled, type=int, callback=bounded, metavar=metavar)


def parse_rates(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    """Several, with commas between them."""
    return None if value is None else tuple(parse_rate(ctx, option, each) for each in value.split(","))


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
        raise OptionError(
            f"{option.opts[0]} must be max, or tuples per second above 0 such as 1e6, 250k or 2M, not {value!r}."
        )
    return rate


class ChoiceOrOwn(click.Choice):  # type: ignore[type-arg]  # before click 8.2 it takes no parameter
    """One of several words, or the name of something of one's own, ``module:Class``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value as it is given."""
        return value if ":" in str(value) else super().convert(value, param, ctx)


def _count(spelled: str, help: str) -> Flag:
    return flag(spelled, type=int, callback=at_least_one, metavar="N", help=help)


def _choice(spelled: str, choices: Sequence[str], help: str, default: str | None = None) -> Flag:
    return flag(spelled, type=click.Choice(choices), default=default, show_default=True, help=help)


def _text(*spelled: str, default: str, metavar: str, help: str, parse: Callable[..., Any] | None = None) -> Flag:
    return flag(*spelled, default=default, show_default=True, callback=parse, metavar=metavar, help=help)


def _time(*spelled: str, default: float, help: str) -> Flag:
    return _text(*spelled, default=f"{default:g}s", metavar="TIME", parse=parse_duration, help=help)


runtime_options = Flags(
    _choice(
        "--engine",
        ENGINES,
        "What runs it: one thread, units through the segments of a plan, or the paper's schemes.  "
        "[default: ordered; schemes, if --heuristic, --reorder, --partitioning, --routing or --no-fuse is given]",
    ),
    _count("--workers", "Threads.  [default: one per core]"),
    _count("--unit", "Tuples per work unit.  [default: chosen while it runs; 4096 for serial, 1024 for schemes]"),
    _text(
        "--plan",
        default=DEFAULT.plan,
        metavar="PLAN",
        help="Where the pipeline is cut into segments: auto (chosen while it runs), whole (one worker does all "
        "to a unit), cut (before every keyed or stateful operator), sharded (and keyed ones by partition), or places "
        "of operators such as '2|3*|5', * by partition, ** by that of what it makes.  Of ordered.",
    ),
    _time("--latency-target", default=DEFAULT.latency_target, help="What the chosen unit aims at.  Of ordered."),
    _count(
        "--partitions",
        "Into how many parts the keys of a keyed operator go.  [default: 2 per worker with a core, above 16 "
        "workers 3 for two, at least 32; for schemes 8, with partitioned queues 1; 1 for one worker]",
    ),
    _choice(
        "--partition-by",
        PARTITIONERS,
        "How keys get to partitions: by a hash, by equal ranges of keys, or by ranges with equally many tuples of a "
        "sample (micro).",
        DEFAULT.partition_by,
    ),
    flag(
        "--heuristic",
        type=ChoiceOrOwn(HEURISTICS),
        help="Which operator a worker takes next: one of these, lp:8 (of worklists of at least 8 tuples), or a class "
        "of your own, module:Class.  Of schemes.  [default: ct]",
    ),
    flag(
        "--reorder",
        type=ChoiceOrOwn(REORDERS),
        help="What puts outputs in order, or your own: module:Class.  Of schemes.  [default: nonblocking]",
    ),
    flag(
        "--partitioning",
        type=ChoiceOrOwn(PARTITIONINGS),
        help="The worklist of keyed operators, or your own: module:Class.  Of schemes.  [default: hybrid]",
    ),
    _choice(
        "--routing",
        ROUTINGS,
        "When outputs are hashed for the next keyed operator: early, by the worker that has made them, or in-order, "
        "one worker at a time, as the paper does.  Of schemes.  [default: early]",
    ),
    _count(
        "--capacity",
        "Tuples in all worklists together.  Of the heuristic qst.  [default: half of what the credit admits]",
    ),
    _text(
        "--rate",
        default="max",
        parse=parse_rate,
        metavar="max|N",
        help="Tuples per second that arrive: 1e6, 250k, 2M, or max: as fast as they are taken.",
    ),
    _choice(
        "--arrivals",
        ARRIVALS,
        "When they arrive, at a rate: at equal intervals, at random, in bursts at four times it, or in steps.",
        DEFAULT.arrivals,
    ),
    flag(
        "--arrival-seed",
        type=int,
        default=DEFAULT.arrival_seed,
        show_default=True,
        help="Seed of arrivals that chance decides.",
    ),
    _time(
        "--time-slice",
        default=DEFAULT.time_slice,
        help="How long a worker stays with the operator that it was given.  Of schemes.",
    ),
    _time(
        *("--half-life", "window"),
        default=DEFAULT.window,
        help="After how long half of what is known of costs and selectivities goes.  Of schemes.",
    ),
    _count(
        "--credit",
        "Units in flight at most, a power of two.  [default: by unit and workers; with --rate as few as keep up]",
    ),
    flag(
        "--fuse/--no-fuse",
        default=True,
        show_default=True,
        help="Fuse stateless operators to the one before, or run each by itself, as the paper does.  Of schemes.",
    ),
    flag("--pin/--no-pin", default=True, show_default=True, help="Bind each worker to a core."),
    _choice(
        "--place",
        PLACES,
        "The cores that workers take first: near each other (cache, then NUMA node), far apart, or as listed.",
        DEFAULT.place,
    ),
)
OF_ALL = ("engine", "unit", "rate", "arrivals", "arrival_seed", "pin", "place")
# Without queues nothing is scheduled, partitioned or put back in order.
SERIAL_IGNORES = tuple(name for name in runtime_options.names if name not in OF_ALL)
ORDERED_IGNORES = ("time_slice", "window", "capacity", "fuse")
UNIT_CHOOSERS = ("latency_target",)


def runtime_notes(ctx: click.Context, options: Options, cores: int | None = None) -> list[str]:
    """What to tell about options that have no effect: not refused, so that one command line serves all engines.

    ``cores``: that there are, if not those that this process may use.
    """
    notes = []
    for why, ignored in _without_effect(options, cores):
        useless = [option for name in ignored for option in typed(ctx, (name,))]
        if useless:
            notes.append(f"{why}: {', '.join(useless)} {'changes' if len(useless) == 1 else 'change'} nothing.")
    return notes


def tell_if_long(console: Console, tuples: int, rate: float) -> None:
    """Say how long the stream takes to arrive, before it begins to, where that is long; refuse what is absurd."""
    arrivals.require_end(tuples, rate)
    sentence = arrivals.long_one(tuples, rate)
    if sentence is not None:
        console.print(f"[yellow]note:[/yellow] {sentence}")


def _without_effect(options: Options, cores: int | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Why, and which."""
    settled = settle(options, cores)
    if settled.engine == "serial":
        yield "the serial engine is one thread without queues", SERIAL_IGNORES
    elif settled.engine == "ordered":
        yield "the engine ordered has neither scheduler nor stages", ORDERED_IGNORES
        if settled.at_work == 1:
            # Places of operators are compared with the pipeline's all the same.
            yield "one worker does all by itself", (*(["plan"] if options.plan in plans.NAMED else []), "credit")
        if options.unit is not None and not (options.rate and settled.free_credit):  # it bounds what is in flight
            yield "the unit is given", UNIT_CHOOSERS
    else:
        yield "the paper's schemes keep the unit that they are given", UNIT_CHOOSERS
        if settled.heuristic != "qst":
            yield "only the heuristic qst has a capacity", ("capacity",)
    if options.arrivals == "constant":
        yield "at equal intervals nothing is left to chance", ("arrival_seed",)
    if not options.pin:
        yield "with --no-pin the system places the workers", ("place",)
    elif settled.at_work > len(allowed_cpus()):
        yield "more workers than cores are not bound to any", ("place",)
