"""Operators that run by partition of what they make: whatever the plan, and however often it changes, one sequence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pipelines import PIECE, outcome
from streambench.pyx.machine.yield_points import inject

from streambench.errors import OperatorError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline

TUPLES = 300
FAN, MADE, PASSES = 9, 41, 4  # as of the probes
COPIES = 3
Row = tuple[int, int]


def pipeline(probes: SimpleNamespace, *, pieces: bool = False, fail_value: int = -1, **source: Any) -> Pipeline:
    """A stateless operator, the three that may be dealt, and one that orders by itself."""
    before = probes.Expand(COPIES, piece=PIECE if pieces else 0, fail_value=fail_value)
    dealt = [probes.Fan(), probes.FanSum(), probes.FanPass()]
    return Pipeline([probes.Counting(TUPLES, **source), before, *dealt, probes.Number(2), probes.Recorder()])


def plainly(probes: SimpleNamespace, *, fails: int | None = None) -> list[tuple[int, ...]]:
    """``fails``: of which tuple on there are none, and no end."""
    seen: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    passing: Counter[int] = Counter()
    rows: list[Row] = []
    given = Pipeline([probes.Counting(TUPLES), probes.Expand(COPIES), probes.Recorder()])
    execute(given, Options(engine="serial"))
    for key, value in given.sink.rows()[: None if fails is None else COPIES * fails]:
        seen[key] += 1
        for made in range(value * seen[key] % MADE, value * seen[key] % MADE + FAN):
            sums[made] += seen[key]
            passing[made] += sums[made]
            if passing[made] % PASSES == 0:
                rows.append((made, passing[made]))
    if fails is None:
        rows += sorted(passing.items())
    return [(*row, number) for number, row in enumerate(rows)]


def drawn(draw: random.Random, **named: Any) -> Options:
    inject(draw.choice((0, 2, 5, 20)), draw.randrange(1 << 32))
    return Options(
        **{
            "workers": draw.choice((2, 3, 4, 8)),
            "partitions": draw.choice((2, 3, 10, 64)),
            "unit": draw.choice((1, 7, 64, 1024)),
            "credit": draw.choice((2, 4, 16, None)),
            "plan": draw.choice(("2**|5", "2**")),
            "pin": False,
            **named,
        }
    )


@pytest.mark.parametrize("seed", range(40))
def test_what_is_dealt_leaves_in_the_order_of_one_thread(probes: SimpleNamespace, seed: int) -> None:
    draw = random.Random(seed)
    got = outcome(pipeline(probes, pieces=seed % 2 == 1, trickle=draw.random() < 0.3), drawn(draw))
    assert (got.error, got.violations) == (None, 0)
    assert got.rows == plainly(probes)


@pytest.mark.parametrize("seed", range(40))
def test_and_while_plans_change(probes: SimpleNamespace, fickle: Callable[..., list[Any]], seed: int) -> None:
    draw = random.Random(seed)
    controllers = fickle(draw.randrange(1 << 32), draw.choice((1, 2)), draw.choice((1, 7, 60)))
    got = outcome(pipeline(probes, pieces=seed % 2 == 1), drawn(draw, unit=1))
    assert (got.error, got.violations) == (None, 0)
    assert got.rows == plainly(probes)
    assert controllers[0].changes > 0


@pytest.mark.parametrize("seed", range(12))
def test_a_refused_tuple_in_front_is_the_last_thing_that_happens(probes: SimpleNamespace, seed: int) -> None:
    draw = random.Random(seed)
    refused = draw.randrange(TUPLES)
    got = outcome(pipeline(probes, pieces=seed % 2 == 1, fail_value=refused), drawn(draw))
    assert isinstance(got.error, OperatorError)
    assert (got.error.serial, got.violations) == (refused, 0)
    assert got.rows == plainly(probes, fails=refused)


def test_every_tuple_is_counted_once_at_every_operator(probes: SimpleNamespace) -> None:
    def given(options: Options) -> list[int]:
        return [each["tuples_in"] for each in execute(pipeline(probes), options).profile]

    assert given(Options(workers=3, unit=16, partitions=5, plan="2**|5", pin=False)) == given(Options(engine="serial"))
