"""A few configurations are of every engine, of joins, gates and heavy hitters; more hold the fewer; all are there."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from streambench.errors import OptionError
from streambench.measure.heavy_hitters.simulation import SIMULATED
from streambench.measure.validation.cases import (
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
    few, more = (cases(COMPARED, WORKLOADS, most) for most in (20, 50))
    assert more[:20] == few
    assert Counter(map(engine, few)) == {"schemes": 8, "ordered": 6, "joins": 2, "gates": 2, "heavy-hitters": 2}


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
