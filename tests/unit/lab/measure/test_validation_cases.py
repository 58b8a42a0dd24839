"""A few configurations are of every engine, by hash and by range; more hold the fewer; all are there."""

from __future__ import annotations

from collections import Counter

import pytest

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.measure.validation.cases import CONFIGURATIONS, MICRO, PLANS, UNITS, ValidationCase, cases
from streambench.queries.query import PAPER_QUERIES

ENGINES = tuple(CONFIGURATIONS)
WORKLOADS = (*PAPER_QUERIES, *MICRO)


def test_a_few_are_of_every_engine_and_more_hold_the_fewer() -> None:
    few, more = (cases(ENGINES, WORKLOADS, most) for most in (18, 60))
    assert more[:18] == few
    assert Counter(each.options.engine for each in few) == {"schemes": 10, "ordered": 8}
    assert sum(is_by_range(each) for each in few) == 4


def is_by_range(each: ValidationCase) -> bool:
    return each.options.partition_by == "range"


def test_keys_get_to_partitions_by_range_with_all_schemes_units_and_workloads_that_have_keys() -> None:
    found = cases(ENGINES, WORKLOADS, None)
    by = {name: {_but_for_ranges(each) for each in found if is_by_range(each) == (name == "range")} for name in BOTH}
    of_two = {each for each in found if each.options.workers == 2 and each.workload != "sl" and not is_by_range(each)}
    assert by["range"] == set(map(_but_for_ranges, of_two)) <= by["hash"]
    assert not any(map(is_by_range, cases(("schemes",), ("sl",), None)))


BOTH = ("hash", "range")


def _but_for_ranges(each: ValidationCase) -> str:
    return str((each.workload, Options.of(each.options, partition_by="hash")))


def test_all_plans_and_units_are_among_all_and_none_comes_twice() -> None:
    found = cases(ENGINES, WORKLOADS, None)
    plans = {(each.options.plan, each.options.unit) for each in found if each.options.engine == "ordered"}
    assert plans == {*((plan, unit) for plan in PLANS for unit in UNITS), ("auto", None)}
    assert len(found) == len({str(each.to_dict()) for each in found})


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no workload 'q9'"):
        cases(ENGINES, ("q9",), None)
    with pytest.raises(OptionError, match="cases must be at least 1"):
        cases(ENGINES, (), 0)
