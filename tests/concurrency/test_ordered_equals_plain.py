"""Theorem 5.2: whatever the workers do, the sink sees the sequence that one thread in order would give it."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from pipelines import EXECUTIONS, Shape, Step, build, expected, outcome, random_shape

from streambench.execution.options import ROUTINGS, Options

WORKERS = (1, 2, 3, 4, 8, 16)
UNITS = (1, 7, 64, 1024)
PARTITIONS = (1, 10, 100)
CREDITS = (2, 4, 16, 64)

HOW: dict[str, dict[str, Any]] = {"serial engine": {"engine": "serial"}, **EXECUTIONS}

CORNERS: dict[str, Shape] = {
    "source and sink only": (),
    "nothing passes": (Step("Filter", 1),),
    "nothing passes, then keyed, then a total": (Step("Filter", 1), Step("KeyedSum"), Step("Total")),
    "nothing passes, in place": (Step("Filter", 1), Step("KeyedCount"), Step("Tag"), Step("Number")),
    "keyed first": (Step("KeyedSum"), Step("Map")),
    "keyed last": (Step("Map"), Step("KeyedSum")),
    "keyed only, in place": (Step("KeyedCount"),),
    "three keyed in a row": (Step("KeyedSum"), Step("KeyedCount"), Step("KeyedSum")),
    "keyed in place three times": (Step("KeyedCount"), Step("KeyedCount"), Step("KeyedCount")),
    "stateful first": (Step("Total"), Step("Map"), Step("Filter", 3), Step("KeyedSum")),
    "stateful twice": (Step("Number"), Step("Total")),
    "stateless after stateful": (Step("Total"), Step("Expand", 3), Step("Tag")),
    "selectivity 50 before keyed": (Step("Expand", 50), Step("Rekey", 40), Step("KeyedCount")),
    "lists across the merge": (Step("KeyedLists"), Step("KeyedLists")),
    "lists of one key": (Step("Rekey", 1), Step("KeyedLists")),
    "one key": (Step("Rekey", 1), Step("KeyedSum"), Step("KeyedCount")),
    "held to the end in one burst": (Step("KeyedHold", 1), Step("KeyedCount")),
    "held to the end, asked for piece by piece": (Step("KeyedHold", 2), Step("Expand", 3), Step("KeyedSum")),
    "held twice": (Step("KeyedHold", 2), Step("KeyedHold", 1), Step("Total")),
    "held, behind a total": (Step("Total"), Step("KeyedHold", 2), Step("Total"), Step("KeyedHold", 1)),
}


def agree(probes: SimpleNamespace, shape: Shape, tuples: int, options: Options, **how: object) -> None:
    wanted, _ = expected(shape, tuples)
    serial = outcome(build(probes, shape, tuples), Options(engine="serial", unit=options.unit, trace=True))
    assert serial.rows == wanted
    got = outcome(build(probes, shape, tuples, **how), options)  # type: ignore[arg-type]
    assert got.error is None
    assert got.violations == 0
    assert got.rows == wanted
    assert got.measured is not None
    assert got.measured.tuples == tuples
    if options.trace:
        assert serial.measured is not None
        same = {place: serial.measured.traces[place] for place in got.measured.traces}
        assert got.measured.traces == same


@pytest.mark.slow
@pytest.mark.parametrize("fuse", [True, False], ids=["fuse", "every operator by itself"])
@pytest.mark.parametrize("corner", CORNERS)
def test_theorem_5_2_corner_pipelines(probes: SimpleNamespace, corner: str, fuse: bool) -> None:
    for workers, unit, partitions, credit in ((1, 7, 1, 2), (2, 64, 10, 2), (3, 1, 100, 16), (8, 7, 10, 4)):
        options = Options(
            engine="schemes",
            workers=workers,
            unit=unit,
            partitions=partitions,
            credit=credit,
            fuse=fuse,
            trace=True,
            pin=False,
        )
        agree(probes, CORNERS[corner], 300, options, jitter=1)


@pytest.mark.parametrize("seed", range(120))
def test_theorem_5_2_random_pipelines(probes: SimpleNamespace, seed: int) -> None:
    draw = random.Random(seed)
    shape = random_shape(draw)
    options = Options(
        engine="schemes",
        workers=draw.choice(WORKERS),
        unit=draw.choice(UNITS),
        partitions=draw.choice(PARTITIONS),
        credit=draw.choice(CREDITS),
        fuse=draw.random() < 0.5,
        partition_by=draw.choice(("hash", "range")),
        trace=True,
        pin=draw.random() < 0.3,
        time_slice=draw.choice((1e-6, 1e-4, 1e-2)),
        window=draw.choice((1e-4, 1e-2)),
        routing=draw.choice(ROUTINGS),
    )
    agree(probes, shape, draw.choice((0, 1, 6, 500, 2000)), options, jitter=draw.choice((0, 1, 2)))


@pytest.mark.parametrize("tuples", [0, 1, 2, 63, 64, 65])
@pytest.mark.parametrize("workers", [1, 4])
def test_streams_about_as_long_as_a_unit(probes: SimpleNamespace, tuples: int, workers: int) -> None:
    shape = (Step("KeyedSum"), Step("Total"), Step("KeyedHold", 2))
    options = Options(workers=workers, unit=64, partitions=10, credit=4, heuristic="ct", pin=False)
    agree(probes, shape, tuples, options)


@pytest.mark.parametrize("how", HOW)
def test_a_source_that_trickles_gives_the_same_sequence(probes: SimpleNamespace, how: str) -> None:
    shape = (Step("KeyedSum"), Step("Expand", 2), Step("Total"))
    wanted, _ = expected(shape, 3000)
    options = Options(workers=3, unit=64, partitions=10, credit=8, pin=False, **HOW[how])
    got = outcome(build(probes, shape, 3000, trickle=True, jitter=1), options)
    assert (got.rows, got.violations) == (wanted, 0)


@pytest.mark.parametrize("how", HOW)
def test_the_rate_of_arrival_does_not_change_the_sequence(probes: SimpleNamespace, how: str) -> None:
    shape = (Step("KeyedSum"), Step("Total"), Step("KeyedHold", 2))
    wanted, _ = expected(shape, 2000)
    options = Options(workers=2, unit=64, partitions=10, credit=8, rate=50_000.0, pin=False, **HOW[how])
    assert outcome(build(probes, shape, 2000), options).rows == wanted


@pytest.mark.parametrize("partitions", [1, 7, 4096])
@pytest.mark.parametrize("partition_by", ["hash", "range"])
def test_any_number_of_partitions(probes: SimpleNamespace, partitions: int, partition_by: str) -> None:
    shape = (Step("KeyedSum"), Step("KeyedLists"), Step("KeyedCount"))
    for unit in (1, 256):
        options = Options(
            engine="schemes",
            workers=2,
            unit=unit,
            partitions=partitions,
            partition_by=partition_by,
            credit=16,
            trace=True,
            pin=False,
        )
        agree(probes, shape, 800, options)


def test_more_threads_than_cores_finish(probes: SimpleNamespace) -> None:
    shape = (Step("Map"), Step("KeyedSum"), Step("Total"))
    options = Options(workers=16, unit=16, partitions=32, credit=32, heuristic="ct", pin=False)
    agree(probes, shape, 20_000, options, jitter=1)


def test_every_option_is_exercised() -> None:
    """The seeds above reach every kind of operator, so that none is tested by name only."""
    kinds = {step.kind for seed in range(120) for step in random_shape(random.Random(seed))}
    assert kinds == {"Map", "Rekey", "Filter", "Expand", "Tag", "Number", "Total"} | {
        "KeyedSum",
        "KeyedCount",
        "KeyedLists",
        "KeyedHold",
        "FreeSum",
        "FreeCount",
        *(f"{kind}InPieces" for kind in ("Expand", "KeyedSum", "KeyedLists", "FreeSum", "Total")),
    }
