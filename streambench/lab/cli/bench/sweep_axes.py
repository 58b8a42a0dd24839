"""The command-line options that name the values of a sweep's axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streambench.execution.options import ENGINES, HEURISTICS, PARTITIONERS, PARTITIONINGS, REORDERS
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.duration import parse_durations
from streambench.lab.cli.flags import Flags, flag
from streambench.lab.measure.sweep.product import listed
from streambench.lab.workloads.micro import KEYS

AXES = Flags(
    flag("--queries", type=words(), help="Queries, q1,q2,q3,q4,q15,ysb,qjoin, and own pipelines: module:function."),
    flag(
        "--micro",
        type=words(),
        metavar="KINDS",
        help="Parametric pipelines: the kinds of their operators, such as sl,ps,sl-ps.",
    ),
    flag(
        "--engines",
        type=words(ENGINES),
        help=f"Engines: {listed(ENGINES)}. With serial among them, it runs with every unit size.  [default: schemes]",
    ),
    flag("--workers", type=numbers(int, 1), help="Threads.  [default: one per core]"),
    flag(
        "--heuristics",
        type=words(HEURISTICS),
        help=f"Heuristics: {listed(HEURISTICS)}.  [default: ct]",
    ),
    flag("--reorders", type=words(REORDERS), help=f"Reordering schemes: {listed(REORDERS)}.  [default: nonblocking]"),
    flag("--partitionings", type=words(PARTITIONINGS), help=f"Worklists: {listed(PARTITIONINGS)}.  [default: hybrid]"),
    flag(
        "--partition-by", type=words(PARTITIONERS), help=f"How keys are split: {listed(PARTITIONERS)}.  [default: hash]"
    ),
    flag(
        "--units",
        type=numbers(int, 1),
        help="Tuples per work unit.  [default: 1024 with queries, 1 with --micro; ordered chooses]",
    ),
    flag(
        "--partitions",
        type=numbers(int, 1),
        help="Parts that the keys of a keyed operator go into.  [default: as with run]",
    ),
    flag("--keys", type=words(KEYS), help=f"How a micro stream's keys are spread: {listed(KEYS)}.  [default: uniform]"),
    flag("--sigmas", type=numbers(float, 1e-6), help="Of normal keys: the smaller, the more skew.  [default: 1]"),
    flag("--exponents", type=numbers(float, 0), help="Of zipf keys: the larger, the more skew.  [default: 1]"),
    flag(
        "--costs",
        type=numbers(float, 0),
        metavar="US,..",
        help="Microseconds of each parametric operator per tuple.  [default: 10]",
    ),
    flag("--selectivities", type=numbers(float, 0), help="Outputs per input of the first one.  [default: 1]"),
    flag("--state-sizes", type=numbers(int, 1), help="Of parametric operators, in 64-bit values.  [default: 16]"),
    flag("--tuple-sizes", type=numbers(int, 1), help="Of micro streams, in 64-bit values.  [default: 16]"),
    flag(
        "--time-slices",
        callback=parse_durations,
        metavar="TIME,..",
        help="How long a worker stays with an operator.  [default: 100us]",
    ),
    flag(
        "--half-lives",
        "windows",
        callback=parse_durations,
        metavar="TIME,..",
        help="After how long half of what is known of costs goes.  [default: 10ms]",
    ),
    flag(
        "--capacities",
        type=numbers(int, 1),
        help="Tuples in all worklists, of the heuristic qst.  [default: as with run]",
    ),
    flag(
        "--fuse/--no-fuse",
        default=None,
        help="Fuse stateless operators to the one before, or run each by itself, as the paper does.  [default: fuse]",
    ),
)
MICRO_ONLY = ("keys", "sigmas", "exponents", "costs", "selectivities", "state_sizes", "tuple_sizes")
OF_SCHEMES = ("heuristics", "reorders", "partitionings", "fuse", "time_slices", "windows", "capacities")


def given_axes(given: Mapping[str, Any]) -> dict[str, Any]:
    """The axes that were given, as ``Product`` takes them."""
    found = {name: value for name, value in AXES.values(given).items() if value is not None}
    return {**found, "fuse": (found["fuse"],)} if "fuse" in found else found
