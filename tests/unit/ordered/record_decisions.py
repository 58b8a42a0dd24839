"""Record what the controller decides: ``python record_decisions.py``.

``simulated``: made-up costs and arrivals, drawn with seeds. ``measured``: runs of the engine. What is recorded stays
as it is as long as the controller is to decide as before: ``test_recorded_decisions.py`` replays it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import recording

from streambench.lab.record.replay import decided
from streambench.lab.workloads.micro import MicroSpec, OperatorSpec, run_micro

LOOKS = 120
NS_PER_TICK = 0.4  # where the clock is made up
MS = 1e6  # ns
PIPELINES = {
    "sink": [],
    "keyed": ["ps"],
    "stateful": ["sf"],
    "pair": ["ps", "ps"],
    "mixed": ["sl", "ps", "sf"],
    "ends stateless": ["ps", "sl", "sf", "sl"],
    "long": ["sl", "ps", "sl", "sf", "ps", "sl"],
}


@dataclass
class Scenario:
    """Costs and arrivals that are made up.

    ``total``: ns per stream tuple of all operators. ``pattern``: what happens on the way, see ``phase``. ``load``: of a
    stream at a rate, as a part of one worker's time; 0: as fast as can be processed.
    """

    name: str
    kinds: list[str]
    workers: int
    total: float
    pattern: str = "steady"
    load: float = 0.0
    how: dict[str, Any] = field(default_factory=dict)
    cuts: tuple[int, int] = (0, 0)
    looks: int = LOOKS
    shares: tuple[float, ...] = ()  # of the operators in the costs; drawn, if empty
    rows: tuple[float, ...] = ()  # into each operator, per stream tuple; drawn, if empty

    def phase(self, now: float) -> tuple[float, float, float]:
        """At this time, in ns: how much slower segments are, how much dearer tuples, how much less arrives."""
        step = int(now / (60 * MS))
        if self.pattern == "lulls":
            return 1.0, 1.0, (0.0, 5.0, 1.2, 20.0)[step % 4]
        if self.pattern == "drift":
            return 1.0, (1.0, 0.05, 3.0, 0.3)[int(now / (400 * MS)) % 4], 0.0
        if self.pattern == "slower":
            return (1.0, 1.0, 1.6, 1.6, 2.5)[step % 5], 1.0, 0.0
        if self.pattern == "behind":
            return (1.0, 3.0, 0.5)[step % 3], 1.0, 0.0
        if self.pattern == "crowd":  # of the first and of the second step nobody waits
            return (1.0, 1.0, 1.7)[step % 3], (1.0, 1.0, 1.4)[step % 3], 0.0
        if self.pattern == "dry":
            return 1.0, 1.0, (0.0, 0.0, 30.0)[step % 3]
        return 1.0, 1.0, 0.0


def scenarios() -> Iterator[Scenario]:
    draw = Random("scenarios")
    patterns = ("steady", "lulls", "drift", "slower", "behind", "dry")
    loads = (0.0, 0.0, 0.3, 0.6, 0.8, 1.15, 1.6, 3.0)
    for name, kinds in PIPELINES.items():
        for workers in (1, 2, 4, 8):
            for pattern in draw.sample(patterns, 1 if workers == 1 else 2):
                load = draw.choice(loads) if pattern not in ("behind", "dry") else draw.choice((0.8, 1.3, 2.0))
                total = draw.choice((5.0, 40.0, 200.0, 900.0, 5_000.0, 60_000.0))
                yield Scenario(
                    f"{name}, {workers} workers, {pattern}, load {load}", kinds, workers, total, pattern, load
                )
    many = PIPELINES["long"]
    for load in (0.0, 1.4):
        by_hand = {"free_plan": False}
        yield Scenario(f"plan by hand, load {load}", many, 4, 300.0, "drift", load, by_hand, (0b10110100, 0b100))
        yield Scenario(f"whole by hand, load {load}", many, 4, 300.0, "drift", load, by_hand)
        yield Scenario(f"unit by hand, load {load}", many, 4, 300.0, "slower", load, {"unit": 50})
        for workers, unit in ((2, 3), (4, 10), (8, 25)):
            how = {"unit": unit}
            yield Scenario(f"{unit} tuples to a unit, load {load}", ["ps", "ps"], workers, 400.0, "lulls", load, how)
        yield Scenario(f"credit by hand, load {load}", many, 4, 300.0, "behind", load, {"free_credit": False})
        yield Scenario(f"little credit, load {load}", many, 4, 300.0, "behind", load, {"credit": 4})
        for target in (1e-6, 1e-5, 1e-4):
            how = {"latency_target": target}
            yield Scenario(f"latency target {target}, load {load}", many, 4, 300.0, "drift", load, how)
        # Long enough for costs to be stale, and for trials to be rare.
        yield Scenario(f"for long, load {load}", PIPELINES["pair"], 2, 200.0, "stalls", load, looks=700)
        yield Scenario(f"for long and slower, load {load}", PIPELINES["mixed"], 2, 90.0, "slower", load, looks=700)
        for workers in (2, 4):
            yield Scenario(f"crowd, {workers} workers, load {load}", many, workers, 300.0, "crowd", load, looks=400)
    # Backlogs that come and are soon worked off.
    yield Scenario("small backlogs, long, 1 workers, load 0.9", many, 1, 200.0, "steady", 0.9, looks=700)
    name = "small backlogs, 0 tuples to a unit, 1000.0 ns, 1 workers, load 0.9"
    yield Scenario(name, ["ps", "ps"], 1, 1000.0, "steady", 0.9, {"latency_target": 1e-5}, looks=500)
    for load in (0.0, 0.65):  # by partition or not, and one worker or several, are near each other
        name = f"2 operators of 200.0 ns, 2 workers, steady, load {load}"
        yield Scenario(name, ["ps", "ps"], 2, 200.0, "steady", load, looks=300)
    shares = (0.0, 1.0, 60.0, 0.2)  # by the model segments are hardly faster
    for load in (1.01, 1.03, 1.1, 2.0):
        yield Scenario(f"one dear operator, load {load}", ["sf", "sf"], 2, 61.2, "steady", load, shares=shares)
    shares = (0.0, 1.0, 1.0, 0.1)
    for draw_number in (15, 20):  # of 24, chosen when decisions were first recorded
        name = f"lulls, 2 workers, {draw_number}"
        yield Scenario(name, ["ps", "ps"], 2, 200.0, "lulls", looks=250, shares=shares)
    # By partition pays or does not by what it takes to index a unit.
    shares, rows = (0.0, 1.0, 0.05), (1.0, 1.0, 1.0)
    yield Scenario("light and keyed, 4 ns, 2 workers", ["ps"], 2, 4.0, looks=120, shares=shares, rows=rows)
    # What is dealt is tried first.
    dealt: dict[str, Any] = {"dealt": [[1, 4]]}
    shares, rows = (1.0, 30.0, 30.0, 30.0, 2.0), (1.0, 1.0, 20.0, 20.0, 1.0)
    kinds = ["ps", "ps", "sf"]
    yield Scenario("dealt, 20 rows of one", kinds, 2, 200.0, how=dealt, looks=250, shares=shares, rows=rows)


def simulate(scenario: Scenario) -> recording.Sequence:
    draw = Random(scenario.name)
    columns = [draw.randint(1, 6) for _ in range(len(scenario.kinds) + 2)]
    partitions = [1 if scenario.workers == 1 else 2 * scenario.workers] * len(columns)
    shares = list(scenario.shares) or [draw.random() ** 2 for _ in columns]
    costs = [scenario.total * share / sum(shares) for share in shares]  # ns per stream tuple
    drawn = [1.0, *(draw.choice((1.0, 1.0, 1.0, 0.1, 3.0)) for _ in columns[1:])]
    rows = list(scenario.rows) or drawn  # per stream tuple
    credit = max(16, 4 * scenario.workers)
    how: dict[str, Any] = {
        "unit": 0,
        "free_plan": True,
        "credit": credit,
        "latency_target": 1e-3,
        **scenario.how,
    }
    if scenario.load:
        how["interval"] = scenario.total / scenario.load
    made = recording.Sequence(
        name=scenario.name,
        names=("source", *scenario.kinds, "sink"),
        kinds=tuple(scenario.kinds),
        widths=tuple(columns),
        partitions=tuple(partitions),
        workers=scenario.workers,
        how={**how, "cuts": scenario.cuts},
        ns_per_tick=NS_PER_TICK,
        begun=0,
        due=0,
        rows=np.empty((0, 0), dtype=np.int64),
        asked=scenario.looks,
    )
    controller = made.controller()
    controller.begin_at(0)
    due = controller.next_decision
    made_rows: list[list[int]] = []
    totals = [[0, 0, 0] for _ in columns]
    now, admitted, position = 0.0, 0.0, 0
    luck: dict[tuple[int, int], float] = {}
    for _ in range(scenario.looks):
        unit = controller.unit
        heads, sharded = decided(controller, False)[2:4]
        slower, dearer, rarer = scenario.phase(now)
        each = dearer * scenario.total * draw.uniform(0.95, 1.05)
        if heads:
            luck.setdefault((heads, sharded), draw.uniform(0.8, 1.5))
            ways = 1 + heads.bit_count() + scenario.workers * sharded.bit_count()
            each *= slower * luck[heads, sharded] / min(scenario.workers, ways)
        each *= 6.0 if draw.random() < 0.02 else 1.0
        span = max(controller.next_decision * NS_PER_TICK - now, 0.0) + unit * each * draw.uniform(1.0, 2.0)
        if scenario.pattern == "stalls" and draw.random() < 0.05:
            span += draw.choice((50, 400, 1600)) * MS
        gap = rarer * scenario.total
        now += span
        interval = how.get("interval", 0.0)
        admitted += span / max(each, gap, 0.9 * interval)
        if interval:
            admitted = min(admitted, now / interval)
        tuples = int(admitted) - position
        position += tuples
        waiting = max(0, int(now / interval) - position) if interval and not gap > interval else 0
        saturated = waiting > 2 * unit if interval else gap < each
        share = draw.uniform(0.9, 1.0) if saturated else draw.uniform(0.0, 0.6)
        for k, total in enumerate(totals):
            given = round(tuples * rows[k])
            timed = given if unit >= 64 else round(given * draw.uniform(0.0, 0.25))
            cost = dearer * costs[k] / rows[k] * draw.uniform(0.9, 1.3) * (0.7 if heads else 1.0)
            total[0] += round(timed * cost / NS_PER_TICK)
            total[1] += timed
            total[2] += given
        controller.full += round(share * tuples)
        controller.waiting = waiting
        controller.waited = 0
        if scenario.pattern == "crowd" and int(now / (60 * MS)) % 3 == 2:
            controller.waited = round(span * draw.choice((0.0, 0.0, 0.3, 0.6)))
        tick = round(now / NS_PER_TICK)
        told = [tick, position, controller.full, waiting, controller.waited, *chain.from_iterable(totals)]
        changed = controller.decide_on(tick, position, totals)
        made_rows.append([*told, *decided(controller, changed)])
    return replace(made, due=due, rows=np.array(made_rows, dtype=np.int64))


def measure() -> Iterator[recording.Sequence]:
    """Runs of the engine on this machine, short ones."""
    pipelines = {
        "keyed": [("ps", 0.1)],
        "mixed": [("sl", 0.2), ("ps", 0.4)],
        "long": [("ps", 0.1), ("sl", 0.1), ("ps", 0.3), ("ps", 0.05), ("sl", 0.2)],
    }
    for name, row in pipelines.items():
        spec = MicroSpec(tuple(OperatorSpec(kind, cost) for kind, cost in row), tuples=300_000, tuple_size=2)
        for options in (
            {"workers": 2},
            {"workers": 1},
            {"workers": 2, "rate": 400_000.0},
            {"workers": 2, "rate": 4_000_000.0},
            {"workers": 2, "rate": 1_500_000.0, "latency_target": 2e-5},
            {"workers": 4, "plan": "sharded"},
            {"workers": 2, "unit": 100, "credit": 8},
        ):
            decisions = run_micro(spec, check=False, recorded=True, **options).decisions
            assert decisions is not None
            yield recording.Sequence.named(f"{name}, {options}", decisions, LOOKS)


if __name__ == "__main__":
    recording.write("simulated.json.gz", [simulate(each) for each in scenarios()])
    recording.write("measured.json.gz", list(measure()))
    for path in sorted(Path(recording.HERE).glob("*.gz")):
        print(path.name, path.stat().st_size)
