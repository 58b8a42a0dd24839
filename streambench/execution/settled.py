"""What an execution runs with: its options, with all that was left open chosen, once and here."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from streambench.execution.options import LARGEST_CHOSEN, MOST_PARTITIONS, Engine, Options
from streambench.host.limits import default_workers

SERIAL_UNIT = 4096  # columns of a unit stay in the cache
SCHEMES_UNIT = 1024
FEW_PARTITIONS = 32
IN_FLIGHT = 1 << 14  # tuples between admission and sink that the default credit aims at


@dataclass(frozen=True, repr=False)
class Settled(Options):
    """Options of which none is left open: engines are given these, and results record them.

    ``unit`` is None where it is chosen while it runs. What an engine has not is None: of ``serial`` the credit, of
    ``serial`` and ``ordered`` heuristic, reordering and partitioning scheme and routing, of all heuristics but QST the
    capacity.
    ``at_work``: how many of the workers take part; where the plan is chosen, no more than can run at once.
    ``free_credit``: fewer units than ``credit`` may be in flight, where that keeps up with a rate. ``keeps_plan``: one
    worker alone, too, has the plan that is named, as a profile run for a simulation does.
    """

    engine: Engine = "ordered"
    workers: int = 1
    partitions: int = 1
    at_work: int = 1
    free_credit: bool = False
    keeps_plan: bool = False

    @property
    def largest_unit(self) -> int:
        """The largest unit that there can be."""
        return self.unit or LARGEST_CHOSEN

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values."""
        return {each.name: getattr(self, each.name) for each in fields(Options)}


def settle(options: Options, cores: int | None = None) -> Settled:
    """Choose what ``options`` leave open, for so many ``cores`` (None: those that this process may use)."""
    if isinstance(options, Settled):
        return options
    values = {each.name: getattr(options, each.name) for each in fields(Options)}
    nothing = dict.fromkeys(("credit", "heuristic", "reorder", "partitioning", "routing", "capacity"))
    there = cores or default_workers()
    chosen = {"serial": _serial, "ordered": _ordered, "schemes": _schemes}[options.named_engine](options, there)
    return Settled(**{**values, **nothing, **chosen, "engine": options.named_engine})


def _serial(options: Options, cores: int) -> dict[str, Any]:
    return {"unit": options.unit or SERIAL_UNIT, "workers": 1, "partitions": 1}


def _ordered(options: Options, cores: int) -> dict[str, Any]:
    """Partitions for the workers that have a core: 2 for each up to 16, above that 32, from 22 on 3 for two. Each costs
    something, and the smaller a unit's groups, the more; but with one for each worker the one that has more than its
    share stops all (docs/scale.md)."""
    workers = options.workers or cores
    with_core = min(workers, cores)
    at_work = with_core if options.plan == "auto" else workers
    return {
        "workers": workers,
        "at_work": at_work,
        "partitions": options.partitions or (1 if at_work == 1 else _ordered_partitions(with_core)),
        "credit": options.credit or _credit(at_work, options.unit),
        "free_credit": options.credit is None,
    }


def _ordered_partitions(workers: int) -> int:
    return max(3 * workers // 2, min(2 * workers, FEW_PARTITIONS))


def _schemes(options: Options, cores: int) -> dict[str, Any]:
    """8 partitions for each worker, so that few wait; of partitioned queues one: more of them hold each other's outputs
    up (paper 000, figure 6)."""
    workers = options.workers or cores
    each = 1 if options.partitioning == "partitioned" else 8
    unit = options.unit or SCHEMES_UNIT
    credit = options.credit or _credit(workers, unit)
    # Of QST (equation 1), in tuples: half of what the credit admits, so that its thresholds bind first.
    capacity = options.capacity or max(1, credit * unit // 2)
    return {
        "workers": workers,
        "at_work": workers,
        "unit": unit,
        "partitions": options.partitions or (1 if workers == 1 else min(each * workers, MOST_PARTITIONS)),
        "credit": credit,
        "heuristic": options.heuristic or "ct",
        "reorder": options.reorder or "nonblocking",
        "partitioning": options.partitioning or "hybrid",
        "routing": options.routing or "early",
        "capacity": capacity if options.heuristic == "qst" else None,
    }


def _credit(workers: int, unit: int | None) -> int:
    """Units in flight: enough that every worker has several, yet about 16 Ki tuples where units are small."""
    few = max(16, 4 * workers)
    units = max(few, min(1024, IN_FLIGHT // unit)) if unit else few
    return 1 << (units - 1).bit_length()
