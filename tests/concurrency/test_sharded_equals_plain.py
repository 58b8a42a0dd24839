"""The engine `ordered`: whatever the plan, and however often it changes, the sink sees the sequence of one thread."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pipelines import Shape, Step, build, expected, outcome, random_plan, random_shape
from sanitized import size
from streambench.pyx.machine.yield_points import inject
from test_ordered_equals_plain import CORNERS, agree

from streambench.execution import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline

PLANS = ("auto", "whole", "cut", "sharded")
UNITS = (None, 1, 7, 64, 1024)
CREDITS = (2, 4, 16, None)
PARTITIONS = (None, 1, 3, 10, 100)
YIELDS = (0, 2, 5, 20)
LONGER: Shape = (  # every kind of boundary: keyed to keyed, in place and not, stateful in the middle, held back twice
    Step("Map"),
    Step("FreeSum"),
    Step("FreeCount"),
    Step("Filter", 3),
    Step("KeyedHold", 2),
    Step("Number"),
    Step("Tag"),
    Step("KeyedSum"),
    Step("Total"),
    Step("Expand", 2),
    Step("KeyedCount"),
    Step("Number"),
)


Change = Callable[..., list[Any]]  # the fixture `fickle`


def drawn(draw: random.Random, **named: Any) -> Options:
    """Options that leave room or none, and yields injected, by the same seed."""
    inject(draw.choice(YIELDS), draw.randrange(1 << 32))
    return Options(
        **{
            "workers": draw.choice((2, 2, 3, 4, 16)),
            "unit": draw.choice(UNITS),
            "credit": draw.choice(CREDITS),
            "partitions": draw.choice(PARTITIONS),
            "partition_by": draw.choice(("hash", "range")),
            "latency_target": draw.choice((1e-6, 1e-3, 1.0)),
            "pin": draw.random() < 0.1,
            **named,
        }
    )


def few(options: Options, tuples: int) -> int:
    """So many tuples, or a fifth where each of them goes by itself past a hundred partitions: it takes a minute."""
    return tuples // 5 if options.unit == 1 and options.partitions == 100 else tuples


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("corner", CORNERS)
def test_theorem_5_2_corner_pipelines_of_every_plan(probes: SimpleNamespace, corner: str, plan: str) -> None:
    for workers, unit, partitions, credit, tuples in ((2, 64, 10, 2, 300), (3, 1, 100, 16, 60), (8, 7, 3, 4, 300)):
        options = Options(workers=workers, unit=unit, partitions=partitions, credit=credit, plan=plan, pin=False)
        agree(probes, CORNERS[corner], tuples, options, jitter=1)


@pytest.mark.parametrize("seed", range(150))
def test_theorem_5_2_random_pipelines_with_random_plans(probes: SimpleNamespace, seed: int) -> None:
    draw = random.Random(seed)
    shape = random_shape(draw)
    options = drawn(draw, plan=random_plan(draw, shape, probes))
    tuples = few(options, draw.choice((0, 1, 6, 500, 1500)))
    agree(probes, shape, tuples, options, jitter=draw.choice((0, 1, 2)))


@pytest.mark.parametrize("seed", range(150))
def test_theorem_5_2_while_the_plan_changes(probes: SimpleNamespace, fickle: Change, seed: int) -> None:
    """Between the plans whole, cut and sharded, with few units in flight and many, up to the last one."""
    draw = random.Random(seed)
    controllers = fickle(draw.randrange(1 << 32), draw.choice((1, 2, 8)), draw.choice((1, 7, 60)))
    shape = draw.choice((LONGER, random_shape(draw), random_shape(draw)))
    tuples = draw.choice((0, 1, 100, 700))
    options = drawn(draw, unit=draw.choice((1, 5)), plan=draw.choice(PLANS))
    agree(probes, shape, tuples, options, jitter=draw.choice((0, 1, 2)), trickle=draw.random() < 0.3)
    (controller,) = controllers
    assert tuples < 700 or controller.changes > 0, "the plan never changed: the test tests nothing"


@pytest.mark.parametrize("tuples", [0, 1, 2, 7, 8, 63, 64, 65])
@pytest.mark.parametrize("plan", PLANS)
def test_streams_about_as_long_as_a_unit_or_the_credit(probes: SimpleNamespace, plan: str, tuples: int) -> None:
    for unit, credit in ((1, 2), (7, 2), (64, 4), (None, None)):
        agree(probes, LONGER, tuples, Options(workers=3, unit=unit, credit=credit, plan=plan, pin=False))


@pytest.mark.parametrize("one_in", [1, 2])
@pytest.mark.parametrize("tuples", [0, 1, 2, 3, 5, 8])
def test_a_plan_that_changes_with_the_last_unit_changes_nothing_else(
    probes: SimpleNamespace, fickle: Change, one_in: int, tuples: int
) -> None:
    """The change is then due when nothing more will be admitted but what the operators hold."""
    for seed in range(6):
        fickle(seed, one_in, 3)
        inject(3, seed)
        options = Options(workers=3, unit=1, credit=2, partitions=3, plan="cut", pin=False)
        agree(probes, LONGER, tuples, options)


@pytest.mark.parametrize("cuts", ["1", "2*", "3|2", "13", "3*|8*|13", "8*|9|3"])
def test_own_cuts(probes: SimpleNamespace, cuts: str) -> None:
    shape = (Step("FreeSum"), *LONGER[1:])
    for partitions in (1, 5, 300):
        options = Options(workers=4, unit=16, credit=8, partitions=partitions, plan=cuts, pin=False)
        agree(probes, shape, 400, options, jitter=1)


@pytest.mark.parametrize("plan", ["whole", "cut", "sharded"])
@pytest.mark.parametrize("partition_by", ["hash", "range"])
@pytest.mark.parametrize("kind", ["KeyedSum", "KeyedCount", "FreeSum", "FreeCount", "KeyedLists", "KeyedHold"])
def test_more_partitions_than_rows_and_rows_of_one_partition(
    probes: SimpleNamespace, kind: str, partition_by: str, plan: str
) -> None:
    for partitions, rekey in ((size(4096, 512), 40), (10, 1)):
        shape = (Step("Rekey", rekey), Step(kind, 2))
        options = Options(
            workers=3, unit=5, partitions=partitions, partition_by=partition_by, credit=4, plan=plan, pin=False
        )
        agree(probes, shape, 40 if partitions > 100 else 300, options)


@pytest.mark.parametrize("plan", PLANS)
def test_more_workers_than_cores_units_or_partitions(probes: SimpleNamespace, plan: str) -> None:
    agree(probes, LONGER, 900, Options(workers=24, unit=64, credit=4, partitions=2, plan=plan, pin=False), jitter=2)


@pytest.mark.parametrize("plan", PLANS)
def test_a_late_tuple_and_one_that_is_waited_for(probes: SimpleNamespace, plan: str) -> None:
    """Workers have gone to sleep when a unit comes; all of them, and at the end of the stream too."""
    shape = (Step("FreeSum"), Step("Total"), Step("KeyedHold", 2), Step("KeyedCount"))
    wanted, _ = expected(shape, 12)
    options = Options(workers=4, unit=1, credit=2, partitions=3, rate=100.0, plan=plan, pin=False)
    assert outcome(build(probes, shape, 12), options).rows == wanted


@pytest.mark.parametrize("plan", PLANS)
def test_every_operator_is_given_every_tuple_once(probes: SimpleNamespace, plan: str) -> None:
    """By the profile, which sums what each worker has counted."""
    options = Options(workers=3, unit=16, credit=8, partitions=5, plan=plan, pin=False)
    serial = execute.execute(build(probes, LONGER, 500), Options(engine="serial", unit=16), profiled=True)
    measured = execute.execute(build(probes, LONGER, 500), options)
    given = {stage["operators"][0]: stage["tuples_in"] for stage in serial.profile}
    assert {stage["operators"][0]: stage["tuples_in"] for stage in measured.profile} == given


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("workers", [1, 3])
def test_the_profile_counts_what_goes_in_and_out_of_every_operator(
    probes: SimpleNamespace, plan: str, workers: int
) -> None:
    def counts(options: Options) -> list[tuple[int, int]]:
        keyed = [probes.KeyedSum(), probes.KeyedHold(), probes.FreeSum()]
        operators = [probes.Counting(3_000), probes.Filter(3), *keyed, probes.Recorder()]
        measured = execute.execute(Pipeline(operators), options)
        return [(each["tuples_in"], each["tuples_out"]) for each in measured.profile]

    wanted = counts(Options(engine="serial", unit=7))
    assert wanted[2][1] > wanted[2][0] > 0, "nothing to tell apart"
    assert counts(Options(workers=workers, unit=7, partitions=10, plan=plan, pin=False)) == wanted
