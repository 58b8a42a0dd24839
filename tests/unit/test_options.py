"""The options of an execution: which engine they mean, what is chosen where nothing is given, and what is refused."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

from streambench.errors import OptionError
from streambench.execute import execute
from streambench.options import FIRST_UNIT, LARGEST_CHOSEN, MOST_PARTITIONS, SCHEMES_UNIT, SERIAL_UNIT, Options
from streambench.pipeline import Pipeline


@pytest.mark.parametrize(
    ("given", "sharded"),
    [
        ({}, True),
        ({"plan": "serial"}, True),
        ({"unit": 64, "workers": 1}, True),
        ({"partitioning": "sharded"}, True),
        ({"engine": "serial"}, False),
        ({"scheduler": "ct"}, False),
        ({"reorder": "lock"}, False),
        ({"partitioning": "hybrid"}, False),
        ({"capacity": 100}, True),
        ({"scheduler": "qst", "capacity": 100}, False),
        ({"segments": False}, False),
        ({"trace": True}, False),
    ],
    ids=str,
)
def test_naming_what_only_the_papers_schemes_have_means_them(given: dict[str, Any], sharded: bool) -> None:
    options = Options(**given)
    assert options.sharded == sharded
    schemes = options.resolved_schemes()
    assert (schemes["partitioning"] == "sharded") == sharded
    if not sharded:
        filled = {"scheduler": "ct", "reorder": "nonblocking", "partitioning": "hybrid"}
        assert schemes == {name: given.get(name, value) for name, value in filled.items()}


@pytest.mark.parametrize(
    ("given", "unit", "largest"),
    [
        ({}, 0, LARGEST_CHOSEN),
        ({"unit": 7}, 7, 7),
        ({"engine": "serial"}, SERIAL_UNIT, SERIAL_UNIT),
        ({"scheduler": "ct"}, SCHEMES_UNIT, SCHEMES_UNIT),
        ({"scheduler": "ct", "unit": 1}, 1, 1),
    ],
    ids=str,
)
def test_a_unit_that_is_not_given_is_chosen(given: dict[str, Any], unit: int, largest: int) -> None:
    options = Options(**given)
    assert (options.resolved_unit(), options.largest_unit()) == (unit, largest)
    assert options.to_dict()["unit"] == (unit or None)


def test_a_unit_that_is_chosen_begins_and_ends_where_the_options_say() -> None:
    """Memory is reckoned with these; the controller has them for itself."""
    rows = np.zeros(2_000_000, dtype=np.int64)
    chosen = execute(Pipeline([TableSource((rows,), ("key",)), TableSink()]), Options(workers=1, preload=True)).choices
    assert chosen[0]["unit"] == FIRST_UNIT
    assert max(each["unit"] for each in chosen) <= LARGEST_CHOSEN


@pytest.mark.parametrize("unit", [None, 1, 64, 4096, 65536])
@pytest.mark.parametrize("workers", [1, 2, 64, 1024])
@pytest.mark.parametrize("scheme", [{}, {"scheduler": "ct"}], ids=str)
def test_the_credit_that_is_chosen_is_one_that_could_be_given(
    unit: int | None, workers: int, scheme: dict[str, Any]
) -> None:
    options = Options(unit=unit, workers=workers, plan="auto" if scheme else "serial", **scheme)
    credit = options.resolved_credit()
    assert Options(credit=credit).resolved_credit() == credit
    assert credit >= workers, "less would leave workers without a unit"


def test_more_workers_than_can_run_at_once_take_part_only_where_asked_for() -> None:
    """Where the plan is chosen they would only take cores from each other."""
    from streambench.limits import default_workers

    many = 8 * default_workers()
    assert Options(workers=many).working_workers() == default_workers()
    assert Options(workers=many, plan="sharded").working_workers() == many
    assert Options(workers=many, scheduler="ct").working_workers() == many
    assert Options(workers=many).to_dict()["workers"] == many


@pytest.mark.parametrize("plan", ["auto", "sharded"])
def test_workers_without_a_core_add_no_partitions(plan: str) -> None:
    from streambench.limits import default_workers

    cores = max(2, default_workers())
    assert Options(workers=cores, plan="sharded").resolved_partitions() == 2 * default_workers()
    assert Options(workers=8 * cores, plan="sharded").resolved_partitions() == 2 * default_workers()
    assert Options(workers=8 * cores, plan=plan, partitions=100).resolved_partitions() == 100
    assert Options(workers=8 * cores, scheduler="ct").resolved_partitions() == min(64 * cores, MOST_PARTITIONS)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"unit": 0}, "unit must be a whole number from 1 to 65536, not 0."),
        ({"unit": True}, "unit must be a whole number from 1 to 65536, not True."),
        ({"latency_target": 0.0}, "latency-target must be from 1e-6 to 10 seconds, not 0.0."),
        ({"plan": "fast"}, "plan must be auto, fused, serial, sharded, or places of operators such as 2|3*|5"),
        ({"plan": "serial", "scheduler": "ct"}, "plan serial belongs to partitioning sharded: leave out scheduler."),
        ({"plan": "2", "trace": True}, "plan 2 belongs to partitioning sharded: leave out trace."),
        (
            {"plan": "2", "reorder": "lock", "segments": False},
            "plan 2 belongs to partitioning sharded: leave out reorder, no-segments.",
        ),
        (
            {"partitioning": "sharded", "scheduler": "ct"},
            "partitioning sharded schedules and orders by itself: leave out scheduler, or choose one of "
            "hybrid, partitioned, shared.",
        ),
        ({"partitioning": "sharded", "reorder": "lock"}, "partitioning sharded schedules and orders by itself"),
        (
            {"partitioning": "sharded", "segments": False, "trace": True},
            "partitioning sharded schedules and orders by itself: leave out no-segments, trace, or choose one of",
        ),
        ({"credit": 12}, "credit must be a power of two from 2 to 16384, not 12."),
        ({"credit": 8.0}, "credit must be a power of two from 2 to 16384, not 8.0."),
        ({"credit": 1}, "credit must be a power of two from 2 to 16384, not 1."),
        ({"rate": 1e300}, "rate must be tuples per second up to 1e+12, or max, not 1e+300."),
        ({"rate": -1.0}, "rate must be tuples per second up to 1e+12, or max, not -1.0."),
        ({"rate": math.nan}, "rate must be tuples per second up to 1e+12, or max, not nan."),
        ({"rate": "1e6"}, "rate must be tuples per second up to 1e+12, or max, not '1e6'."),
        ({"latency_target": "1"}, "latency-target must be from 1e-6 to 10 seconds, not '1'."),
        ({"plan": None}, "plan must be auto, fused, serial, sharded, or places of operators such as 2|3*|5"),
        ({"partitioning": "split"}, "partitioning must be one of hybrid, partitioned, shared, sharded, not 'split'."),
    ],
    ids=str,
)
def test_what_cannot_be_met_is_refused_in_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(sentence)}") as refused:
        Options(**given)
    assert str(refused.value).count(". ") == 0
    assert str(refused.value).endswith(".")
