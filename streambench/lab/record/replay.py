"""Telling a new controller what a run's was told: does it decide the same?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from streambench.execution import plans
from streambench.execution.decisions import Decisions
from streambench.pyx.ordered.recorded_controller import DECIDED, METERED, TOLD

WORDS = {
    ("unit",): "tuples to a unit",
    ("heads", "sharded"): "the plan",
    ("resting",): "how many workers rest",
    ("in_flight",): "units that may be under way",
    ("next_look",): "ticks until the next look",
    ("bound",): "whether each worker is to stay on its core",
    ("changed",): "whether the plan has changed",
}
"""Of what is decided, the fields that are one thing to tell."""


@dataclass(frozen=True)
class Difference:
    """The first one: of the decision ``number``, counted from 0 (-1: of the first look's time, before all decisions),
    ``seconds`` after the beginning. ``what`` is ``now`` another than ``then``, when it was recorded."""

    number: int
    seconds: float
    what: str
    now: str
    then: str

    def __str__(self) -> str:
        where = "before the first decision" if self.number < 0 else f"from decision {self.number + 1} on"
        return f"{where}, {self.seconds:.6f} s after the beginning: {self.what}: {self.now} now, {self.then} in the log"


@dataclass(frozen=True)
class Replay:
    """``difference``: None where all decisions are the same, else nothing behind it was replayed. ``choices``: of the
    new controller, as in ``RunResult.choices``."""

    difference: Difference | None
    choices: list[dict[str, Any]]


def replay(recorded: Decisions, constants: Mapping[str, float] | None = None) -> Replay:
    """Let a new controller decide what was ``recorded``. ``constants``: changes to this version's, by name."""
    controller = recorded.controller(constants)
    controller.begin_at(recorded.begun)
    difference = _first_difference(recorded, controller)
    chosen = ((number, recorded.seconds(at), *rest) for number, at, *rest in controller.chosen())
    return Replay(difference, plans.choices(recorded.names, chosen, max(recorded.partitions)))


def decided(controller: Any, changed: bool) -> list[int]:
    """What a controller has decided, as the last numbers of a row; ``changed``: has the plan?"""
    heads, sharded = map(_bits, controller.plan)
    in_flight, due = controller.units_in_flight, controller.next_decision
    return [int(changed), controller.unit, heads, sharded, controller.resting, in_flight, due, int(controller.bound)]


def _first_difference(recorded: Decisions, controller: Any) -> Difference | None:
    if controller.next_decision != recorded.due:
        ticks = [str(due - recorded.begun) for due in (controller.next_decision, recorded.due)]
        return Difference(-1, 0.0, "ticks until the first look", *ticks)
    for number, row in enumerate(recorded.rows):
        inputs, metered, then = _parted(row.tolist())
        tick, position, controller.full, controller.waiting, controller.waited = inputs
        now = decided(controller, controller.decide_on(tick, position, metered))
        if now != then:
            return _difference(recorded, number, tick, now, then)
    return None


def _parted(row: list[int]) -> tuple[list[int], list[list[int]], list[int]]:
    """What was told, what each operator's meters said, and what was decided."""
    end, size = len(row) - len(DECIDED), len(METERED)
    return row[: len(TOLD)], [row[k : k + size] for k in range(len(TOLD), end, size)], row[end:]


def _difference(recorded: Decisions, number: int, tick: int, now: list[int], then: list[int]) -> Difference:
    both = [dict(zip(DECIDED, decision, strict=True)) for decision in (now, then)]
    fields = next(names for names in WORDS if any(both[0][name] != both[1][name] for name in names))
    words = [_in_words(recorded, tick, fields, each) for each in both]
    return Difference(number, recorded.seconds(tick), WORDS[fields], *words)


def _in_words(recorded: Decisions, tick: int, fields: tuple[str, ...], decision: Mapping[str, int]) -> str:
    value = decision[fields[0]]
    if fields == ("heads", "sharded"):
        heads, sharded = ([k for k in range(len(recorded.names)) if decision[each] >> k & 1] for each in fields)
        return plans.describe(recorded.names, heads, sharded, max(recorded.partitions))
    if fields == ("next_look",):
        return str(value - tick)
    return str(value) if fields in (("unit",), ("in_flight",), ("resting",)) else "yes" if value else "no"


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)
