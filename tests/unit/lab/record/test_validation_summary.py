"""The simulator's error is a part of what was measured; three queries predict the others; bands hold nine of ten."""

from __future__ import annotations

from typing import Any

import pytest

from streambench.lab.measure.prediction import doublings, with_band
from streambench.lab.record.validation_summary import band, crossed, rows, verdict
from streambench.lab.simulate.simulate import SimulatedRun

QUERIES = ("q1", "q2", "q3", "q4", "q15")


def run(query: str, factor: float, workers: int = 2, **changes: Any) -> dict[str, Any]:
    """SimulatedRun as ``factor`` times the throughput that was measured."""
    return {
        "query": query,
        "engine": "schemes",
        "workers": workers,
        "unit": 64,
        "sequence_ok": True,
        "disturbed": False,
        "measured_throughput": [90.0, 110.0],
        "measured_latency": [1.0, 1.0],
        "simulated_throughput": 100.0 * factor,
        "simulated_latency": 1.0 / factor,
        **changes,
    }


def test_the_error_is_a_part_of_what_was_measured() -> None:
    found = rows([run("q1", 1.2), run("q2", 0.95), run("q3", 1.0, sequence_ok=False, measured_throughput=None)])
    assert [row["throughput_error"] for row in found] == [pytest.approx(0.2), pytest.approx(-0.05), None]
    assert [row["missed"] for row in found] == [["throughput"], [], None]
    of_all = verdict(found)
    assert (of_all["n"], of_all["worst"]) == (2, pytest.approx(0.2))
    assert of_all["met"] == {"throughput": False, "worst": True, "latency": True}
    assert verdict([])["met"] is None


def test_only_ordered_has_a_plan() -> None:
    assert rows([run("q1", 1.0, plan="auto")])[0]["plan"] is None
    assert rows([run("q1", 1.0, engine="ordered", plan="cut")])[0]["plan"] == "cut"


def test_an_error_that_all_queries_share_is_taken_back_in_all_ten_ways() -> None:
    found = crossed(rows([run(query, 1.5) for query in QUERIES]), QUERIES)
    assert len(found) == 10
    assert all(row["throughput"]["before"] == pytest.approx(0.5) for row in found)
    assert all(row["throughput"]["after"] == pytest.approx(0.0) for row in found)
    assert {len(row["predicted"]) for row in found} == {2}


def test_an_error_of_one_query_alone_is_not_predicted_by_others() -> None:
    found = crossed(rows([run(query, 2.0 if query == "q4" else 1.0) for query in QUERIES]), QUERIES)
    without = next(row for row in found if "q4" in row["predicted"])
    assert without["throughput"]["after"] == pytest.approx(0.5)


def test_a_band_is_of_the_same_engine_and_of_as_many_cores() -> None:
    found = rows([run("q1", 1 / (1 + k / 100)) for k in range(101)] + [run("q1", 1.0, workers=1)])
    assert band(found, "throughput", "schemes", 2) == (pytest.approx(1.05), pytest.approx(1.95), 101)
    assert band(found, "throughput", "schemes", 1) == (pytest.approx(1.0), pytest.approx(1.0), 1)
    assert band(found, "throughput", "ordered", 1) is None


@pytest.mark.parametrize(("one", "two"), [((0.5, 2.0), (0.8, 1.25)), ((0.5, 1.0), (1.0, 2.0))])
def test_where_nothing_was_compared_a_band_is_as_wide_as_all_that_were(
    one: tuple[float, float], two: tuple[float, float]
) -> None:
    made = [run("q1", factor, workers) for workers, factors in ((1, one), (2, two)) for factor in factors]
    for cores in (3, 16):
        assert band(rows(made), "throughput", "schemes", cores) == (pytest.approx(0.5), pytest.approx(2.0), 4)


def test_a_prediction_has_the_band_of_what_was_compared_and_none_where_nothing_was() -> None:
    made = SimulatedRun(16, 10, 1.0, 1000.0, 0.5, "memory", 0.95, 0.9, 0.1, 0.0, 1, "", 1.0)
    found = with_band(made, "schemes", rows([run("q1", 0.5), run("q2", 2.0)]))
    assert found.throughput_band == (pytest.approx(500.0), pytest.approx(2000.0))
    assert (found.compared, found.compared_to) == (2, 2)
    assert found.to_dict()["simulated"] is True
    assert found.to_dict()["first"] == "memory"
    assert with_band(made, "schemes", []).throughput_band is None


def test_a_curve_goes_to_its_end_by_doublings() -> None:
    assert doublings(16) == [1, 2, 4, 8, 16]
    assert doublings(12) == [1, 2, 4, 8, 12]
