"""A few configurations are of every engine and of joins; more of them hold the fewer; all of them are there."""

from __future__ import annotations

from collections import Counter

import pytest

from streambench.errors import OptionError
from streambench.measure.validation.cases import COMPARED, MICRO, PLANS, UNITS, Case, JoinCase, cases
from streambench.queries.query import PAPER_QUERIES

WORKLOADS = (*PAPER_QUERIES, *MICRO)


def engine(each: Case | JoinCase) -> str | None:
    return each.options.engine if isinstance(each, Case) else "joins"


def test_a_few_are_of_every_engine_and_more_hold_the_fewer() -> None:
    few, more = (cases(COMPARED, WORKLOADS, most) for most in (16, 40))
    assert more[:16] == few
    assert Counter(map(engine, few)) == {"schemes": 8, "ordered": 6, "joins": 2}


def test_all_plans_units_threads_and_windows_are_among_all() -> None:
    found = cases(COMPARED, WORKLOADS, None)
    plans = {
        (each.options.plan, each.options.unit) for each in found if engine(each) == "ordered" and isinstance(each, Case)
    }
    assert plans == {*((plan, unit) for plan in PLANS for unit in UNITS), ("auto", None)}
    assert len(found) == len({str(each.to_dict()) for each in found})
    assert len(cases(("joins",), (), None)) == len([each for each in found if isinstance(each, JoinCase)]) > 0


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no workload 'q9'"):
        cases(COMPARED, ("q9",), None)
    with pytest.raises(OptionError, match="cases must be at least 1"):
        cases(COMPARED, (), 0)
