"""Work that is added to a query's operators takes the time that was asked for, and changes no output."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import small_data
from hypothesis import given
from hypothesis import strategies as st

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.approximate import ApproximateWorkload
from streambench.lab.workloads.operator_cost import OperatorCost, without_cost
from streambench.lab.workloads.workload import Workload

OPTIONS = (
    Options(engine="serial", unit=1),
    Options(engine="serial"),
    Options(heuristic="et", workers=3, unit=1, partitions=10, fuse=False, pin=False),
    Options(heuristic="ct", workers=2, unit=64, pin=False),
    Options(workers=3, unit=7, partitions=10, plan="sharded", pin=False),
    Options(workers=2, unit=64, plan="cut", pin=False),
)
COSTS = st.lists(
    st.tuples(st.sampled_from(("A", "B2", "_c")), st.integers(1, 10**9)), min_size=1, unique_by=lambda x: x[0]
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog.open(small_data.make(tmp_path_factory.mktemp("cost") / "data", seed=0).path)


@pytest.mark.parametrize("query", ["q1", "q2", "q3", "q4", "q15", "ysb"])
def test_a_query_whose_operators_cost_more_gives_the_same_sequence_and_answer(data: Catalog, query: str) -> None:
    plain, costly = Workload(query, data), Workload(f"{query}@1us", data)
    assert (plain.name, costly.name) == (query, f"{query}@1us")
    for options in OPTIONS:
        measured, pipeline = costly.run(options, keep=True)
        assert all(hasattr(each, "inner") for each in pipeline.operators[1:-1])
        assert pipeline.sink.digest == plain.serial_digest(1)
        assert costly.check(options, measured, pipeline) == (True, True, None)


def test_an_approximate_query_answers_from_the_state_of_its_costly_operators(data: Catalog) -> None:
    workload = ApproximateWorkload("q1@1us", data, epsilon=0.01)
    measured, pipeline = workload.run(OPTIONS[0], keep=True)
    assert workload.check(OPTIONS[0], measured, pipeline) == (True, True, None)
    assert workload.approximation(pipeline, 1, checked=False)["n"] > 0


def test_each_tuple_costs_at_least_a_quarter_of_the_cost_in_cpu_time(data: Catalog) -> None:
    workload = Workload("q4@PageClicks=200us", data)
    workload.run(OPTIONS[0], keep=False)  # calibrates
    began = time.thread_time() + time.process_time()
    workload.run(OPTIONS[0], keep=False)
    spent = time.thread_time() + time.process_time() - began
    assert spent > 0.25 * 200e-6 * workload.rows  # of CPU, however busy the machine is


def test_only_the_operators_that_are_named_cost_more(data: Catalog) -> None:
    workload = Workload("q4@PageClicks=1us", data)
    operators = workload.pipeline(OPTIONS[0], keep=False, cost=workload.operator_cost).operators[1:-1]
    assert [hasattr(each, "inner") for each in operators] == [True, False, False, False]
    assert [each.name for each in without_cost(operators)] == [each.name for each in operators]
    none = Workload("q4@Pages=1us", data)
    for use in (none.require_costs, lambda: none.run(OPTIONS[0], keep=False)):
        with pytest.raises(OptionError, match="there is no operator Pages to cost more: choose from PageClicks, Cart"):
            use()


@given(COSTS)
def test_a_cost_is_read_as_it_is_written(named: list[tuple[str, int]]) -> None:
    cost = OperatorCost(tuple((name, each / 1e9) for name, each in named))
    again = OperatorCost.parse(str(cost))
    assert [name for name, _ in again.seconds] == [name for name, _ in named]
    assert dict(again.seconds) == pytest.approx(dict(cost.seconds), rel=1e-5)
    assert OperatorCost.of_workload(cost.workload("q1")) == ("q1", again)


@pytest.mark.parametrize(
    "text", ["10", "us", "-1us", "0us", "2s", "1us+2us", "A=1us+A=2us", "A=1us+2us", "A=", "1us+", "0.1ns", "x y=1us"]
)
def test_what_is_no_cost_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="operator-cost takes 10us for every operator"):
        OperatorCost.parse(text)


def test_no_cost_is_none() -> None:
    assert not OperatorCost.parse("0")
    assert OperatorCost.parse("0").workload("q1") == "q1"
    assert str(OperatorCost.parse("1000ns")) == "1us"
    assert Path(str(OperatorCost.parse("A=1us+B=2ms"))).name == "A=1us+B=2ms"
