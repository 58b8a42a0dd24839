"""A controller's run, simulated: made-up meters and a made-up clock, whose ticks are nanoseconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from streambench.pyx.ordered.controller import Controller

from streambench.pyx.operator import PartitionedStateful, Sink, Source, Stateless

CREDIT = 16
PARTITIONS = 8


def operators(*kinds: type) -> list[Any]:
    made = [Source(), *(kind() for kind in kinds), Sink()]
    for each in made:
        each.columns = ("key", "value")
    return made


@dataclass
class Simulated:
    """A run whose operators cost ``costs`` ns per stream tuple, by place, and whose plans take what ``time`` says.

    ``time``: ns per stream tuple of (heads, sharded heads) while more has arrived than can be processed; ``gap``: ns
    from one arrival to the next, 0 where the stream is always ahead. ``wait``: the part of a look's time that a worker
    waits for its core. ``drains``: after a change of plan what is under way is first processed as the old plan does it,
    and nobody looks meanwhile; else plans change at once.
    """

    made: list[Any]
    costs: list[float]
    time: Callable[[list[int], list[int]], float]
    gap: float = 0.0
    wait: float = 0.0
    drains: bool = False
    rows: list[float] = field(default_factory=list)  # into each operator, per stream tuple; 1 unless given
    workers: int = 2
    how: dict[str, Any] = field(default_factory=dict)
    now: float = 0.0  # microseconds
    position: int = 0
    admitted: float = 0.0

    def __post_init__(self) -> None:
        how = {"unit": 0, "free_plan": True, "credit": CREDIT, "latency_target": 1e-3, **self.how}
        partitions = [PARTITIONS if isinstance(each, PartitionedStateful) else 1 for each in self.made]
        self.controller = Controller(self.made, partitions, workers=self.workers, ns_per_tick=1.0, **how)
        self.controller.begin_at(0)
        self.rows = self.rows or [1.0] * len(self.made)
        self.metered = [[0, 0, 0] for _ in self.made]  # ns, rows timed, rows
        self.spent: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}
        self.changes = 0
        self.changed_at = 0.0  # tuples admitted by then

    @property
    def plan(self) -> tuple[list[int], list[int]]:
        plan: tuple[list[int], list[int]] = self.controller.plan
        return plan

    def run(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self.now + seconds * 1e6
        while self.now < end:
            each = max(self.time(*self.plan), self.gap)
            saturated = each > self.gap
            # The next unit after the time has come at which it wants to look.
            span = max(self._due(each) / 1e3 - self.now, 0.0) + self.controller.unit * each / 1e3
            self.admitted += span * 1e3 / each
            tuples = int(self.admitted) - self.position
            self.now += span
            self.position += tuples
            self._count(self.plan, span, tuples)
            self.controller.waiting = round(self.arrived()) - self.position if self.how.get("interval") else 0
            self.controller.full += tuples if saturated else 0
            # In the plan whole the worker takes the other core, if it may.
            waits = self.plan[0] or self.controller.bound
            self.controller.waited += int(self.wait * span * 1e3) if waits else 0
            plan, under_way = self.plan, self._under_way()
            self.changes += self.controller.decide_on(int(self.now * 1e3), self.position, self.metered)
            if self.plan != plan:
                if self.drains:
                    self._drain(plan, under_way, each)
                self.changed_at = self.admitted

    def arrived(self) -> float:
        """At a rate: how many tuples by now."""
        tuples: float = self.now * 1e3 / self.how["interval"]
        return tuples

    def _under_way(self) -> float:
        """Tuples of the present plan: two units; as many as it has brought to the sink, up to two a worker; and an
        eighth of what it has brought beyond those."""
        unit: int = self.controller.unit
        if not self.plan[0]:
            return unit
        proven, soon = self.admitted - self.changed_at, 2 * self.workers * unit
        proven = min(proven, soon + max(proven - soon, 0.0) / 8)
        return min(self.controller.units_in_flight * unit, proven + 2 * unit)

    def _drain(self, plan: tuple[list[int], list[int]], under_way: float, each: float) -> None:
        self.admitted += under_way
        tuples = int(self.admitted) - self.position
        self.now += under_way * each / 1e3
        self.position += tuples
        self.controller.full += tuples if each > self.gap else 0
        self._count(plan, under_way * each / 1e3, tuples)

    def _count(self, plan: tuple[list[int], list[int]], span: float, tuples: int) -> None:
        key = (tuple(plan[0]), tuple(plan[1]))
        self.spent[key] = self.spent.get(key, 0.0) + span
        for metered, cost, rows in zip(self.metered, self.costs, self.rows, strict=True):
            metered[0] += int(tuples * cost)
            metered[1] += int(tuples * rows)
            metered[2] += int(tuples * rows)

    def _due(self, each: float) -> float:
        """When the next look is, in ns: as told, or as soon as much is waiting."""
        interval, now = self.how.get("interval", 0.0), self.now * 1e3
        due: float = self.controller.next_decision
        if not interval:
            return due
        left = self.controller.much - (self.arrived() - self.admitted)
        growth = 1 / interval - 1 / each  # tuples per ns
        much = now if left <= 0 else now + left / growth if growth > 0 else due
        return min(due, max(self.controller.soonest, much))

    def run_long(self, probes: SimpleNamespace, seconds: float, *, whole: float, cut: float) -> float:
        """As ``run``, in compiled code: hours in a moment. ns per tuple of one worker, and of any plan with segments.

        Returns the share of the time in which the plan was whole.
        """
        begun = self.now
        interval = self.how.get("interval", 0.0)
        span = begun, begun + seconds * 1e6
        self.now, self.admitted, spent, changes, self.metered = probes.live(
            self.controller, self.metered, *span, self.admitted, self.costs, whole, cut, self.gap, interval
        )
        self.position = int(self.admitted)
        self.changes += changes
        return spent / (self.now - begun)

    def whole_share(self) -> float:
        return self.spent.get(((), ()), 0.0) / sum(self.spent.values())


def keyed_pair() -> list[Any]:
    """Two keyed operators, a stateless one, and a sink."""
    return operators(PartitionedStateful, PartitionedStateful, Stateless)


COSTS = [2.0, 100.0, 100.0, 5.0, 5.0]


def segments_pay(heads: list[int], sharded: list[int]) -> float:
    return 110.0 if len(heads) > 1 else 212.0


def segments_do_not_pay(heads: list[int], sharded: list[int]) -> float:
    return 260.0 if heads else 212.0
