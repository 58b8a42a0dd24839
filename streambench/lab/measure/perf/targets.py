"""What is wanted of each row: a bound from below or, with ``at_most``, from above. Rows without one are for reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")


@dataclass(frozen=True)
class Target:
    """The median of the row ``what`` of a section shall be ``value`` at least, or at most.

    ``of_processor``: a time, a speed or what an instruction set gives. It was set for one processor, and another may
    miss or meet it for being what it is.
    """

    section: str
    what: str
    value: float
    at_most: bool = False
    of_processor: bool = False


def find(section: str, what: str) -> Target | None:
    """The target of a row; None where there is none."""
    return _BY_ROW.get((section, what))


def _at_least(section: str, bounds: Mapping[str, float], *, of_processor: bool = False) -> list[Target]:
    return [Target(section, what, value, of_processor=of_processor) for what, value in bounds.items()]


def _at_most(section: str, bounds: Mapping[str, float], *, of_processor: bool = False) -> list[Target]:
    return [Target(section, what, value, True, of_processor) for what, value in bounds.items()]


_PACED = ("no work", "100 ns, half and half", "100 ns, keyed", *QUERIES)
_PLANNED, _WHERE = ("no work", "q1", "q2", "q3", "q4", "q15"), ("quiet", "beside one busy")
# ms. Back: where two workers do twice what one does, half a second of which 50 ms are one worker's holds 0.95 of it.
_DISTURBED = {"workers make way": 20.0, "the plan is whole": 20.0, "they are back": 50.0}
_CROWDED = ("q1", "q3", "q4", "q15")
_TAILS = [f"{quantile}{since}" for since in ("", " from arrival") for quantile in ("p50", "p99")]
_BELOW = [f"{load} %: {tail}" for load in (20, 50, 80) for tail in _TAILS]
_ABOVE, _BACKLOG = {"p50": 20.0, "p99 from arrival": 1000.0}, {"backlog at the end": 10.0}  # µs; ‰
_HEAVY = [f"{amount}, {kind}: 2 workers" for amount in ("1 µs", "10 µs", "100 µs") for kind in ("stateless", "keyed")]
# How many times as fast as the loop: one thread of the engine, and two workers. Q2's loop has neither prefetching nor
# a table that grows without a stop.
_SERIAL = {"q1": 0.77, "q2": 2.0, "q3": 0.77, "q4": 0.77, "q15": 0.9, "ysb": 0.85}
_TWO = {"q1": 1.5, "q2": 3.0, "q3": 1.5, "q4": 1.2, "q15": 1.0, "ysb": 1.4}
# Of top-k, at each α of Zipf's law that is measured: what the fast design shall be at least of others, and its
# own millions of updates a second.
_ALPHAS, _SKEWED = ("0.5", "1", "1.5", "2", "3"), ("1.5", "2", "3")
_FAST = {"datasketches": 10.0, "DuckDB's approx_top_k": 1.0, "DuckDB's group-by": 1.0}
_SUMMARIES = {f"fast against {other}, α {alpha}": least for other, least in _FAST.items() for alpha in _ALPHAS}
_SPEEDS = {f"fast, α {alpha}, 1 thread": 200.0 if alpha in _SKEWED else 100.0 for alpha in _ALPHAS}  # M/s
_CREWS = ("1 worker", "2 workers")
_KEYS = ("1 key", "1,000 keys", "1,000,000 keys")
_BESIDE = {"tumbling": 2.0, "sliding": 5.0, "session": 5.0}  # DuckDB and Polars
_WINDOWS = {
    **{f"{shape}, {keys}: against {peer}": least for shape, least in _BESIDE.items() for keys in _KEYS
       for peer in ("Polars", "DuckDB")},
    **{f"tumbling, {keys}: against the loop": 0.9 for keys in _KEYS},
    **{f"sliding, {keys}: against tumbling": 0.5 for keys in _KEYS},
    **{f"{shape}, 1,000,000 keys: 2 workers against 1": 1.6 for shape in ("tumbling", "sliding")},  # others take 5 ns
}  # fmt: skip

TARGETS = (
    *_at_most("micro", {"no work: 1 worker's overhead": 0.3}, of_processor=True),  # ns
    *_at_least("micro", {"no work: 2 workers": 1.05}),
    *_at_least("micro", {f"100 ns, {where}: 2 workers": 1.9 for where in ("stateless", "half and half", "keyed")}),
    *_at_least("micro", {"100 ns, keyed, one key at 30 %: 2 workers": 1.85, **dict.fromkeys(_HEAVY, 1.95)}),
    *_at_least("tbb", {"no work: the same operators": 2.0, "100 ns, keyed: the same operators": 1.9}),
    *_at_least("queries", {f"{query}: serial against loop": least for query, least in _SERIAL.items()}),
    *_at_least("queries", {f"{query}: serial against duckdb-1": 1.0 for query in QUERIES}),
    *_at_least("queries", {f"{query}: ordered 1 worker against serial": 0.95 for query in QUERIES}),
    *_at_least("queries", {f"{query}: ordered 2 workers against loop": least for query, least in _TWO.items()}),
    *_at_least(
        "plans", {f"{what}, {where}: chosen against the best by hand": 0.95 for what in _PLANNED for where in _WHERE}
    ),
    *_at_least("plans", {f"{what}, {where}: chosen against serial": 0.97 for what in _PLANNED for where in _WHERE}),
    *_at_least(
        "neighbours",
        {f"{query}, {n} busy: 2 workers against serial": 0.97 for query in _CROWDED for n in (0, 1, 2, 4)},
    ),
    *_at_most(
        "disturbance", {f"{what}: until {how}": most for what in _PACED[1:3] for how, most in _DISTURBED.items()}
    ),
    *_at_most("latency", {f"{what}, {row} to the loop's": 1.5 for what in _PACED for row in _BELOW}),
    *_at_most(
        "latency", {f"{what}, above: {row}": most for what in _PACED for row, most in _ABOVE.items()}, of_processor=True
    ),
    *_at_most("latency", {f"{what}, above: {row}": most for what in _PACED for row, most in _BACKLOG.items()}),
    *_at_most("idle", {f"CPU use, {what}": 2.0 for what in ("a silent source", "an open loop")}),  # % of a core
    *_at_least("joins", {f"index against {other}": 20.0 for other in ("DuckDB", "Polars")}),
    *_at_least("topk", _SUMMARIES),
    *_at_least("topk", _SPEEDS, of_processor=True),
    *_at_least("windows", _WINDOWS),
    *_at_least("checkpoints", {f"{workers}: with checkpoints against without": 0.98 for workers in _CREWS}),
    *_at_most("checkpoints", {f"{workers}: admission waits": 2.0 for workers in _CREWS}),  # % of the time
    *_at_least("disk", {f"{query}: 2 workers against serial": 1.6 for query in ("q1", "q2", "q3")}),
    *_at_least("disk", {f"{query}: 2 workers against decoding alone": 0.85 for query in ("q4", "q15")}),
    *_at_most("memory", dict.fromkeys(QUERIES, 64.0)),  # MiB
)
_BY_ROW = {(each.section, each.what): each for each in TARGETS}
