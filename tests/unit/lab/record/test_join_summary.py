"""Rows of a join bench: which runs kept up with the rate that they were to keep up with."""

from __future__ import annotations

from typing import Any

import pytest
from made_up_joins import run, study

from streambench.lab.record.join_summary import rows


def sustained(measure: str, **measured: Any) -> Any:
    (row,) = rows([{**run(measure, "scale", "index", 1, 300.0, repeat), **measured} for repeat in range(3)])
    return row["sustained"]


@pytest.mark.parametrize(("tuples_per_second", "kept_up"), [(900.0, False), (1000.0, True), (1100.0, True)])
def test_at_full_speed_a_run_is_compared_with_the_rate_that_was_searched(
    tuples_per_second: float, kept_up: bool
) -> None:
    found = sustained("throughput", rate=None, sustainable_rate=1000.0, tuples_per_second=tuples_per_second)
    assert found is kept_up


@pytest.mark.parametrize(
    ("tuples_per_second", "kept_up"), [(700.0, False), (791.9, False), (792.1, True), (800.0, True)]
)
def test_at_a_rate_a_run_is_compared_with_the_rate_at_which_tuples_arrived(
    tuples_per_second: float, kept_up: bool
) -> None:
    found = sustained("latency", rate=800.0, sustainable_rate=1000.0, tuples_per_second=tuples_per_second)
    assert found is kept_up


def test_a_case_study_has_no_rate_to_keep_up_with() -> None:
    assert rows([study("8a")])[0]["sustained"] is None
