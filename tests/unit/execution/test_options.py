"""The options of an execution: which engine they mean, what is chosen where nothing is given, and what is refused."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import (
    FIRST_UNIT,
    LARGEST_CHOSEN,
    MOST_PARTITIONS,
    Options,
)
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import SCHEMES_UNIT, SERIAL_UNIT, settle
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource


@pytest.mark.parametrize(
    ("given", "engine"),
    [
        ({}, "ordered"),
        ({"plan": "cut"}, "ordered"),
        ({"unit": 64, "workers": 1}, "ordered"),
        ({"engine": "serial"}, "serial"),
        ({"engine": "serial", "trace": True}, "serial"),
        ({"engine": "schemes"}, "schemes"),
        ({"heuristic": "ct"}, "schemes"),
        ({"reorder": "lock"}, "schemes"),
        ({"partitioning": "hybrid"}, "schemes"),
        ({"routing": "early"}, "schemes"),
        ({"capacity": 100}, "ordered"),
        ({"heuristic": "qst", "capacity": 100}, "schemes"),
        ({"fuse": False}, "schemes"),
        ({"heuristic": "ct", "trace": True}, "schemes"),
    ],
    ids=str,
)
def test_naming_what_only_the_papers_schemes_have_means_them(given: dict[str, Any], engine: str) -> None:
    options = Options(**given)
    settled = settle(options)
    assert options.named_engine == settled.engine == engine
    filled = {"heuristic": "ct", "reorder": "nonblocking", "partitioning": "hybrid", "routing": "early"}
    for name, value in filled.items():
        assert getattr(settled, name) == (given.get(name, value) if engine == "schemes" else None)


@pytest.mark.parametrize(
    "given", [{}, {"heuristic": "qst"}, {"engine": "serial"}, {"workers": 3, "rate": 1e6}], ids=str
)
def test_what_is_settled_stays(given: dict[str, Any]) -> None:
    settled = settle(Options(**given))
    assert settle(settled) is settled
    assert settle(Options(**settled.to_dict())).to_dict() == settled.to_dict()
    assert None not in (settled.engine, settled.workers, settled.partitions)


def test_options_show_what_is_not_the_default() -> None:
    assert repr(Options()) == "Options()"
    assert repr(Options(heuristic="lp", workers=2)) == "Options(workers=2, heuristic='lp')"


def test_changed_options_mean_the_engine_that_they_name() -> None:
    assert Options.of(Options(workers=2), heuristic="lp") == Options(workers=2, heuristic="lp")
    with pytest.raises(OptionError, match="engine ordered does not know heuristic"):
        Options.of(Options(engine="ordered"), heuristic="lp")


@pytest.mark.parametrize(
    ("given", "unit", "largest"),
    [
        ({}, 0, LARGEST_CHOSEN),
        ({"unit": 7}, 7, 7),
        ({"engine": "serial"}, SERIAL_UNIT, SERIAL_UNIT),
        ({"heuristic": "ct"}, SCHEMES_UNIT, SCHEMES_UNIT),
        ({"heuristic": "ct", "unit": 1}, 1, 1),
    ],
    ids=str,
)
def test_a_unit_that_is_not_given_is_chosen(given: dict[str, Any], unit: int, largest: int) -> None:
    options = Options(**given)
    assert (settle(options).unit or 0, settle(options).largest_unit) == (unit, largest)
    assert settle(options).to_dict()["unit"] == (unit or None)


def test_a_unit_that_is_chosen_begins_and_ends_where_the_options_say() -> None:
    """Memory is reckoned with these; the controller has them for itself."""
    rows = np.zeros(2_000_000, dtype=np.int64)
    chosen = execute(Pipeline([TableSource((rows,), ("key",)), TableSink()]), Options(workers=1, preload=True)).choices
    assert chosen[0]["unit"] == FIRST_UNIT
    assert max(each["unit"] for each in chosen) <= LARGEST_CHOSEN


@pytest.mark.parametrize("unit", [None, 1, 64, 4096, 65536])
@pytest.mark.parametrize("workers", [1, 2, 64, 1024])
@pytest.mark.parametrize("scheme", [{}, {"heuristic": "ct"}], ids=str)
def test_the_credit_that_is_chosen_is_one_that_could_be_given(
    unit: int | None, workers: int, scheme: dict[str, Any]
) -> None:
    options = Options(unit=unit, workers=workers, plan="auto" if scheme else "cut", **scheme)
    credit = settle(options).credit
    assert credit is not None
    assert settle(Options(credit=credit)).credit == credit
    assert credit >= workers, "less would leave workers without a unit"


def test_more_workers_than_can_run_at_once_take_part_only_where_asked_for() -> None:
    """Where the plan is chosen they would only take cores from each other."""
    from streambench.host.limits import default_workers

    many = 8 * default_workers()
    assert settle(Options(workers=many)).at_work == default_workers()
    assert settle(Options(workers=many, plan="sharded")).at_work == many
    assert settle(Options(workers=many, heuristic="ct")).at_work == many
    assert settle(Options(workers=many)).to_dict()["workers"] == many


def test_from_22_workers_on_there_are_three_partitions_for_two_and_never_fewer_with_one_more() -> None:
    many = [settle(Options(workers=workers, plan="sharded"), cores=1024).partitions for workers in range(1, 1025)]
    assert many == sorted(many)
    assert (many[0], many[1], many[15], many[16], many[21], many[63]) == (1, 4, 32, 32, 33, 96)


@pytest.mark.parametrize("plan", ["auto", "sharded"])
def test_workers_without_a_core_add_no_partitions(plan: str) -> None:
    from streambench.host.limits import default_workers

    cores = max(2, default_workers())
    assert settle(Options(workers=cores, plan="sharded")).partitions == 2 * default_workers()
    assert settle(Options(workers=8 * cores, plan="sharded")).partitions == 2 * default_workers()
    assert settle(Options(workers=8 * cores, plan=plan, partitions=100)).partitions == 100
    assert settle(Options(workers=8 * cores, heuristic="ct")).partitions == min(64 * cores, MOST_PARTITIONS)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"unit": 0}, "unit must be a whole number from 1 to 65536, not 0."),
        ({"unit": True}, "unit must be a whole number from 1 to 65536, not True."),
        ({"latency_target": 0.0}, "latency_target must be from 1e-6 to 10 seconds, not 0.0."),
        ({"plan": "fast"}, "plan must be auto, whole, cut, sharded, or places of operators such as 2|3*|5"),
        ({"plan": "cut", "heuristic": "ct"}, "plan cut belongs to engine ordered: leave out heuristic."),
        ({"plan": "cut", "engine": "schemes"}, "plan cut belongs to engine ordered: leave out engine schemes."),
        (
            {"trace": True},
            "engine ordered has no trace, as only the sink sees all units in order: choose engine schemes",
        ),
        ({"plan": "2", "trace": True}, "engine ordered has no trace"),
        (
            {"latency_target": 0.1, "reorder": "lock"},
            "latency_target 0.1 belongs to engine ordered: leave out reorder.",
        ),
        (
            {"plan": "2", "reorder": "lock", "fuse": False},
            "plan 2 belongs to engine ordered: leave out reorder, no-fuse.",
        ),
        (
            {"engine": "ordered", "heuristic": "lp"},
            "engine ordered does not know heuristic: leave that out, or choose engine schemes.",
        ),
        ({"engine": "ordered", "partitioning": "hybrid"}, "engine ordered does not know partitioning: leave"),
        ({"engine": "ordered", "routing": "in-order"}, "engine ordered does not know routing: leave"),
        ({"routing": "late"}, "routing must be one of early, in-order, not 'late'."),
        (
            {"engine": "ordered", "fuse": False, "reorder": "lock"},
            "engine ordered does not know reorder, no-fuse: leave",
        ),
        ({"credit": 12}, "credit must be a power of two from 2 to 16384, not 12."),
        ({"credit": 8.0}, "credit must be a power of two from 2 to 16384, not 8.0."),
        ({"credit": 1}, "credit must be a power of two from 2 to 16384, not 1."),
        ({"rate": 1e300}, "rate must be tuples per second up to 1e+12, or max, not 1e+300."),
        ({"rate": -1.0}, "rate must be tuples per second up to 1e+12, or max, not -1.0."),
        ({"rate": math.nan}, "rate must be tuples per second up to 1e+12, or max, not nan."),
        ({"rate": "1e6"}, "rate must be tuples per second up to 1e+12, or max, not '1e6'."),
        ({"latency_target": "1"}, "latency_target must be from 1e-6 to 10 seconds, not '1'."),
        ({"plan": None}, "plan must be auto, whole, cut, sharded, or places of operators such as 2|3*|5"),
        ({"partitioning": "sharded"}, "partitioning must be one of hybrid, partitioned, shared, not 'sharded'."),
        ({"heuristic": "front"}, "heuristic must be one of qst, lp, et, ct, walk, not 'front'."),
        *(
            ({"heuristic": each}, f"there is no heuristic {each}: only lp takes a least worklist, up to 999999999")
            for each in ("lp:0", "lp:08", "lp:x", "lp:", "lp:1e3", "lp:1000000000", "et:4", "walk:8")
        ),
    ],
    ids=str,
)
def test_what_cannot_be_met_is_refused_in_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(sentence)}") as refused:
        Options(**given)
    assert str(refused.value).count(". ") == 0
    assert str(refused.value).endswith(".")
