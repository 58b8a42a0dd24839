"""A few configurations are of every engine, of joins, gates and heavy hitters; more hold the fewer; all are there."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.measure.heavy_hitters.simulation import SIMULATED
from streambench.lab.measure.validation.cases import (
    ALPHAS,
    COMPARED,
    MICRO,
    PLANS,
    UNITS,
    AnyCase,
    Case,
    GateCase,
    JoinCase,
    SummaryCase,
    cases,
)
from streambench.queries.query import PAPER_QUERIES

WORKLOADS = (*PAPER_QUERIES, *MICRO)


OTHERS = {JoinCase: "joins", GateCase: "gates", SummaryCase: "heavy-hitters"}


def engine(each: AnyCase) -> str | None:
    return each.options.engine if isinstance(each, Case) else OTHERS[type(each)]


def test_a_few_are_of_every_engine_and_more_hold_the_fewer() -> None:
    few, more = (cases(COMPARED, WORKLOADS, most) for most in (24, 60))
    assert more[:24] == few
    assert Counter(map(engine, few)) == {"schemes": 10, "ordered": 8, "joins": 2, "gates": 2, "heavy-hitters": 2}
    assert sum(is_by_range(each) for each in few) == 4


def is_by_range(each: AnyCase) -> bool:
    return isinstance(each, Case) and each.options.partition_by == "range"


def test_keys_get_to_partitions_by_range_with_all_schemes_units_and_workloads_that_have_keys() -> None:
    found = [each for each in cases(COMPARED, WORKLOADS, None) if isinstance(each, Case)]
    by = {name: {_but_for_ranges(each) for each in found if is_by_range(each) == (name == "range")} for name in BOTH}
    of_two = {each for each in found if each.options.workers == 2 and each.workload != "sl" and not is_by_range(each)}
    assert by["range"] == set(map(_but_for_ranges, of_two)) <= by["hash"]
    assert not any(map(is_by_range, cases(("schemes",), ("sl",), None)))


BOTH = ("hash", "range")


def _but_for_ranges(each: Case) -> str:
    return str((each.workload, Options.of(each.options, partition_by="hash")))


def test_all_plans_units_threads_and_windows_are_among_all() -> None:
    found = cases(COMPARED, WORKLOADS, None)
    plans = {
        (each.options.plan, each.options.unit) for each in found if engine(each) == "ordered" and isinstance(each, Case)
    }
    assert plans == {*((plan, unit) for plan in PLANS for unit in UNITS), ("auto", None)}
    assert len(found) == len({str(each.to_dict()) for each in found})
    assert len(cases(("joins",), (), None)) == len([each for each in found if isinstance(each, JoinCase)]) > 0
    summaries = [each for each in found if isinstance(each, SummaryCase)]
    assert {(each.design, each.alpha) for each in summaries} == set(product(SIMULATED, ALPHAS))
    assert all(each.point.sources + each.point.readers == 2 for each in found if isinstance(each, GateCase))


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no workload 'q9'"):
        cases(COMPARED, ("q9",), None)
    with pytest.raises(OptionError, match="cases must be at least 1"):
        cases(COMPARED, (), 0)
