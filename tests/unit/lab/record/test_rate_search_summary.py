"""A rate search is summed up from its runs alone: the rate's interval, its curve, no number where one is wrong."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import made_up_rates
import pytest
from rich.console import Console

from streambench.lab import figures
from streambench.lab.record import results
from streambench.lab.record.rate_search_summary import rows, sustains, wrong
from streambench.lab.show.tables import rate_search as table


def test_the_rate_lies_where_the_latency_reaches_the_bound(tmp_path: Path) -> None:
    made = made_up_rates.document()
    serial, ordered = results.read(results.write(made, tmp_path))["summary"]
    for row, full_speed in ((serial, 1e6), (ordered, 1.8e6)):
        assert row["full_speed"] == full_speed
        assert row["sustainable_rate"] <= 0.8 * full_speed * (1 + 1e-9) <= row["missed_rate"]
        assert row["missed_rate"] <= 1.05 * row["sustainable_rate"]
        assert 0.7 * full_speed < row["low"] < row["sustainable_rate"]
        assert row["missed_rate"] < row["high"] < 0.95 * full_speed
        assert row["undecided"] == []
        assert [each["rate"] for each in row["curve"]] == sorted(each["rate"] for each in row["curve"])
        assert all(each["met"] is (each["rate"] <= row["sustainable_rate"]) for each in row["curve"])


def test_runs_that_do_not_tell_are_not_taken_for_none() -> None:
    runs = [run | ({"met": None} if run["step"] == "search" else {}) for run in made_up_rates.document()["runs"]]
    assert [row["sustainable_rate"] for row in rows(runs)] == [None, None]
    runs = [run | ({"met": False} if run["step"] == "search" else {}) for run in runs]
    found = rows(runs)
    assert [row["sustainable_rate"] for row in found] == [0, 0]
    assert all(row["low"] == 0 < row["missed_rate"] <= row["high"] for row in found)
    assert [sustains(row).startswith("none [0") for row in found] == [True, True]


def test_a_rate_is_told_with_its_interval_and_an_open_end_with_a_dash() -> None:
    row = {"sustainable_rate": 1.234e6, "low": 1.1e6, "high": None}
    assert sustains(row) == "1.23 M/s [1.10 M, -]"
    assert sustains(row | {"sustainable_rate": None}) == "cannot tell"


def test_a_wrong_run_takes_the_numbers_away() -> None:
    summary = made_up_rates.document(wrong=True)["summary"]
    assert wrong(summary) == ["q1 ordered with 2 workers"]
    assert summary[1]["sustainable_rate"] is None
    assert summary[1]["curve"] == []
    console = Console(width=130, record=True, quiet=True)
    console.print(table(summary))


@pytest.mark.slow
def test_the_figure_has_a_line_for_each_point_and_the_csv_every_rate(tmp_path: Path) -> None:
    made = made_up_rates.document()
    written = figures.draw(made, tmp_path)
    assert [path.name for path in written] == [f"latency-over-load.{kind}" for kind in ("png", "svg", "csv")]
    svg = written[1].read_text()
    assert "serial" in svg
    assert "ordered, 2 workers" in svg
    with written[2].open() as file:
        drawn = list(csv.DictReader(file))
    assert len(drawn) == sum(len(row["curve"]) for row in made["summary"])
    assert all(math.isclose(float(each["latency"]), float(each["latencies"].split()[0])) for each in drawn)
