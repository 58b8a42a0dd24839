"""The command-line options that name the values of a sweep's axes."""

from __future__ import annotations

from typing import Any

from streambench.execution.options import ENGINES, HEURISTICS, PARTITIONERS, PARTITIONINGS, REORDERS, ROUTINGS
from streambench.host.placement import PLACES
from streambench.lab.cli.comma_list import CommaList, numbers, words
from streambench.lab.cli.duration import parse_durations
from streambench.lab.cli.flags import Flag, Flags, flag
from streambench.lab.cli.runtime_options import parse_rates
from streambench.lab.measure.sweep.product import listed
from streambench.lab.workloads.micro import KEYS


def axis(spelled: str, values: CommaList, help: str, metavar: str | None = None) -> Flag:
    """An option that takes several values."""
    named = {} if metavar is None else {"metavar": metavar}
    return flag(spelled, type=values, help=help, **named)


TIMES: dict[str, Any] = {"callback": parse_durations, "metavar": "TIME,.."}
AXES = Flags(
    axis("--queries", words(), "Queries, q1,q2,q3,q4,q15,ysb,qjoin, and own pipelines: module:function."),
    axis(
        "--micro",
        words(),
        "Parametric pipelines: the kinds of their operators, such as sl,ps,sl-ps, each with its microseconds and "
        "outputs per tuple, if these are its own: sl:10:50-ps:100.",
        metavar="KINDS",
    ),
    axis(
        "--engines",
        words(ENGINES),
        f"Engines: {listed(ENGINES)}. With serial among them, it runs with every unit size.  [default: schemes]",
    ),
    axis("--workers", numbers(int, 1), "Threads.  [default: one per core]"),
    axis(
        "--heuristics",
        words(HEURISTICS, own=True),
        f"Heuristics: {listed(HEURISTICS)}, lp:8, or your own: module:Class.  [default: ct]",
    ),
    axis(
        "--reorders",
        words(REORDERS, own=True),
        f"Reordering schemes: {listed(REORDERS)}, or your own.  [default: nonblocking]",
    ),
    axis(
        "--partitionings",
        words(PARTITIONINGS, own=True),
        f"Worklists: {listed(PARTITIONINGS)}, or your own.  [default: hybrid]",
    ),
    axis(
        "--routings",
        words(ROUTINGS),
        f"When outputs are hashed for the next keyed operator: {listed(ROUTINGS)}.  [default: early]",
    ),
    axis("--partition-by", words(PARTITIONERS), f"How keys are split: {listed(PARTITIONERS)}.  [default: hash]"),
    axis(
        "--units",
        numbers(int, 1),
        "Tuples per work unit.  [default: 1024 with queries, 1 with --micro; ordered chooses]",
    ),
    axis("--partitions", numbers(int, 1), "Parts that the keys of a keyed operator go into.  [default: as with run]"),
    axis("--places", words(PLACES), f"The cores that workers take first: {listed(PLACES)}.  [default: compact]"),
    axis("--keys", words(KEYS), f"How a micro stream's keys are spread: {listed(KEYS)}.  [default: uniform]"),
    axis("--sigmas", numbers(float, 1e-6), "Of normal keys: the smaller, the more skew.  [default: 1]"),
    axis("--exponents", numbers(float, 0), "Of zipf keys: the larger, the more skew.  [default: 1]"),
    axis(
        "--costs",
        numbers(float, 0),
        "Microseconds of each parametric operator per tuple, if it has none of its own.  [default: 10]",
        metavar="US,..",
    ),
    axis(
        "--operator-costs",
        words(),
        "Of queries: work that each tuple costs in every operator besides, such as 0,10us, or in some: "
        "PairCounts=10us+TopPairs=2us.  [default: 0]",
        metavar="TIME,..",
    ),
    flag(
        "--rates",
        callback=parse_rates,
        metavar="RATE,..",
        help="Tuples per second that arrive: max,100k.  [default: max]",
    ),
    axis("--selectivities", numbers(float, 0), "Outputs per input of the first one.  [default: 1]"),
    axis("--state-sizes", numbers(int, 1), "Of parametric operators, in 64-bit values.  [default: 16]"),
    axis("--tuple-sizes", numbers(int, 1), "Of micro streams, in 64-bit values.  [default: 16]"),
    flag("--time-slices", **TIMES, help="How long a worker stays with an operator.  [default: 100us]"),
    flag(
        "--half-lives", "windows", **TIMES, help="After how long half of what is known of costs goes.  [default: 10ms]"
    ),
    axis("--capacities", numbers(int, 1), "Tuples in all worklists, of the heuristic qst.  [default: as with run]"),
    axis(
        "--credits",
        numbers(int, 1),
        "Units in flight at most, powers of two.  [default: as with run; of a preset's queries the most there can be]",
    ),
    flag(
        "--fuse/--no-fuse",
        default=None,
        help="Fuse stateless operators to the one before, or run each by itself, as the paper does.  [default: fuse]",
    ),
)
MICRO_ONLY = ("keys", "sigmas", "exponents", "costs", "selectivities", "state_sizes", "tuple_sizes")
OF_SCHEMES = ("heuristics", "reorders", "partitionings", "routings", "fuse", "time_slices", "windows", "capacities")


def named_axes(**axes: Any) -> dict[str, Any]:
    """The axes that are not None, as ``Product`` takes them."""
    named = {name: value for name, value in axes.items() if value is not None}
    return {**named, "fuse": (named["fuse"],)} if "fuse" in named else named
