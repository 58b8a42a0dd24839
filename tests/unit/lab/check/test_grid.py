"""The combinations that are verified are the ones that are promised."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import pytest

from streambench.errors import OptionError
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS, ROUTINGS, Options
from streambench.lab.check.grid import LAPS, PARTITIONS, PLANS, UNITS, WORKERS, Grid

AXES: dict[str, tuple[Callable[[Options], Any], tuple[Any, ...]]] = {
    "heuristic": (lambda run: run.heuristic, HEURISTICS),
    "reorder": (lambda run: run.reorder, REORDERS),
    "partitioning": (lambda run: run.partitioning, PARTITIONINGS),
    "routing": (lambda run: run.routing, ROUTINGS),
    "workers": (lambda run: run.workers, WORKERS),
    "unit": (lambda run: run.unit, UNITS),
    "partitions": (lambda run: run.partitions, PARTITIONS),
    "fuse": (lambda run: run.fuse, (True, False)),
    "partition_by": (lambda run: run.partition_by, ("hash", "range")),
    "stream": (lambda run: (run.preload, run.laps), ((True, 1), (False, 1), (True, LAPS))),
}


PLAN_AXES: dict[str, tuple[Callable[[Options], Any], tuple[Any, ...]]] = {
    "plan": (lambda run: run.plan, PLANS),
    "unit": (lambda run: run.unit, (None, *UNITS)),
    **{name: AXES[name] for name in ("workers", "partitions", "partition_by", "stream")},
}


def of_schemes(grid: Grid) -> list[Options]:
    """The runs of the paper's schemes."""
    return [run for run in grid.combinations() if run.engine == "schemes"]


def planned(grid: Grid) -> list[Options]:
    """The runs by plans."""
    return [run for run in grid.combinations() if run.engine == "ordered"]


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), list(combinations(AXES, 2)))
def test_covering_runs_have_every_pair_of_values_of_any_two_options(one: str, other: str) -> None:
    (first, values), (second, others) = AXES[one], AXES[other]
    pairs = {(first(run), second(run)) for run in of_schemes(Grid(covering=True))}
    assert pairs == set(product(values, others))


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), list(combinations(PLAN_AXES, 2)))
def test_covering_runs_have_every_pair_of_values_of_plans_too(one: str, other: str) -> None:
    (first, values), (second, others) = PLAN_AXES[one], PLAN_AXES[other]
    pairs = {(first(run), second(run)) for run in planned(Grid(covering=True))}
    assert pairs == set(product(values, others))


def test_covering_runs_are_few() -> None:
    assert len(of_schemes(Grid(covering=True))) < 40
    assert len(planned(Grid(covering=True))) < 40


def test_covering_runs_are_the_same_in_every_process() -> None:
    program = "from streambench.lab.check.grid import Grid; print(Grid(covering=True).combinations())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout == f"{Grid(covering=True).combinations()}\n"


def test_covering_runs_of_a_choice_keep_to_it() -> None:
    grid = Grid(heuristics=("ct",), reorders=("lock", "lock"), workers=(2, 3), units=(5,), covering=True)
    runs = of_schemes(grid)
    assert {(run.heuristic, run.reorder, run.unit) for run in runs} == {("ct", "lock", 5)}
    assert {(run.workers, run.partitioning) for run in runs} == set(product((2, 3), PARTITIONINGS))


def test_all_runs_have_every_scheme_with_every_number_of_workers_and_unit() -> None:
    runs = Grid().combinations()
    in_turn = 5 * 3 * 3 * 5 * 4
    there_already = 10  # half of those of the default schemes, as every second one is routed early
    schemes = in_turn + (5 * 4 * 3 * 2 - there_already) + 3 * 3 * 3
    assert len(runs) == len(set(runs)) == (4 + 1) + (4 * 5 * 5 * 3 + 4 * 3) + schemes
    found = {
        (run.heuristic, run.reorder, run.partitioning, run.workers, run.unit)
        for run in of_schemes(Grid())
        if run.preload and run.laps == 1 and run.partition_by == "hash"
    }
    assert found == set(product(HEURISTICS, REORDERS, PARTITIONINGS, WORKERS, UNITS))
    assert all(run.trace for run in runs if run.engine != "ordered")


def test_all_runs_have_every_plan_with_every_number_of_workers_unit_and_partitions() -> None:
    found = {
        (run.plan, run.workers, run.unit, run.partitions)
        for run in planned(Grid())
        if run.preload and run.laps == 1 and run.partition_by == "hash"
    }
    assert found == set(product(PLANS, WORKERS, (None, *UNITS), PARTITIONS))


@pytest.mark.parametrize("keys", [("heuristic", "reorder", "partitioning"), ("workers", "unit")])
def test_all_runs_have_every_scheme_and_size_with_all_partitions_and_routings_fused_and_not(
    keys: tuple[str, ...],
) -> None:
    found = {
        (*(getattr(run, key) for key in keys), run.partitions, run.fuse, run.routing)
        for run in of_schemes(Grid())
        if run.preload and run.laps == 1 and run.partition_by == "hash"
    }
    assert found == set(product(*(AXES[key][1] for key in keys), PARTITIONS, (True, False), ROUTINGS))


def test_all_runs_have_all_partitions_fused_and_not_with_every_size_under_the_default_schemes() -> None:
    schemes = ("ct", "nonblocking", "hybrid", "early")
    found = {
        (run.workers, run.unit, run.partitions, run.fuse)
        for run in of_schemes(Grid())
        if (run.heuristic, run.reorder, run.partitioning, run.routing) == schemes
    }
    assert found == set(product(WORKERS, UNITS, PARTITIONS, (True, False)))


@pytest.mark.parametrize("how", [{"preload": False}, {"laps": LAPS}, {"partition_by": "range"}])
def test_all_runs_have_every_form_of_the_stream_with_every_reordering_and_partitioning(how: dict[str, Any]) -> None:
    ((name, value),) = how.items()
    found = {(run.reorder, run.partitioning) for run in of_schemes(Grid()) if getattr(run, name) == value}
    assert found == set(product(REORDERS, PARTITIONINGS))


@pytest.mark.parametrize("axis", ["engines", "heuristics", "reorders", "routings", "workers", "units", "fuse"])
def test_nothing_to_verify_is_refused(axis: str) -> None:
    with pytest.raises(OptionError, match=f"there is nothing to verify: give at least one of {axis}"):
        Grid(**{axis: ()})


def test_what_options_refuse_is_refused_before_anything_runs() -> None:
    with pytest.raises(OptionError, match="reorder must be one of"):
        Grid(reorders=("fast",))
