"""Laps that would take a number past 64 bits are refused before anything runs; those that fit are right to the last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_data

import streambench
import streambench.lab
from streambench.errors import DataError, OptionError
from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.loader import Stream
from streambench.lab.measure.frame import BenchData, measure
from streambench.lab.measure.query_bench import QueryBench
from streambench.lab.measure.sweep.bench import SweepBench
from streambench.lab.measure.sweep.product import Product
from streambench.lab.measure.sweep.schedule import Schedule
from streambench.lab.record.journal import Journal
from streambench.lab.workloads.lap_room import LapRoom
from streambench.lab.workloads.workload import Workload
from streambench.queries.q15.pipeline import most_laps

pytestmark = pytest.mark.slow  # every query in many laps

SNOWFLAKE = 19 * 10**17  # four laps fit
REASONS = {"q1": "column ss_ticket_number", "q3": "column wcs_sales_sk", "q4": "column wcs_sales_sk"}


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ticket and order numbers as systems give them that take them from the clock."""
    root = tmp_path_factory.mktemp("huge")
    data = small_data.make(root / "small", 1, tickets=60, users=8, clicks_per_user=20)
    sales = [sale._replace(ticket=sale.ticket + SNOWFLAKE) for sale in data.sales]
    clicks = [click._replace(sales=None if click.sales is None else click.sales + SNOWFLAKE) for click in data.clicks]
    small_data.write(root / "huge", sales, clicks, data.categories, data.pages)
    return root / "huge"


@pytest.mark.parametrize("partition_by", ["hash", "range"])
@pytest.mark.parametrize("query", REASONS)
def test_laps_that_fit_are_right_and_more_are_refused_in_one_sentence(
    huge: Path, query: str, partition_by: str
) -> None:
    for laps in (1, 2, 4):
        for parameters in ("paper", "kit"):
            how = {"workers": 2, "plan": "sharded", "partition_by": partition_by}
            result = streambench.lab.run(query, huge, parameters=parameters, laps=laps, preload=True, **how)
            assert (result.sequence_ok, result.answer_ok) == (True, True), result.problem
    for laps in (5, 8, 1 << 20):
        with pytest.raises(
            OptionError, match=f"^{laps:,} laps do not fit, 4 do: {REASONS[query]} rises by 1,9"
        ) as told:
            streambench.lab.run(query, huge, laps=laps, preload=True, workers=2)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("query", ["q2", "q15"])
def test_what_a_query_does_not_read_is_no_reason(huge: Path, query: str) -> None:
    result = streambench.lab.run(query, huge, laps=12, preload=True, workers=2)
    assert (result.sequence_ok, result.answer_ok) == (True, True), result.problem


def test_event_time_has_room_too(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "small", 1, tickets=20, users=4, clicks_per_user=10)
    clicks = [data.clicks[0], data.clicks[-1]._replace(date=(1 << 31) - 1)]
    small_data.write(tmp_path / "late", data.sales, clicks, data.categories, data.pages)
    workload = Workload("q2", Catalog.open(tmp_path / "late"))
    most = workload.room.laps
    assert 40_000 < most < 60_000
    result = streambench.lab.run("q2", tmp_path / "late", laps=most, preload=True, workers=1)
    assert (result.sequence_ok, result.answer_ok) == (True, True), result.problem
    with pytest.raises(OptionError, match=r"column ts rises by \d{3},\d{3},\d{3},\d{3},\d{3} with each lap"):
        streambench.lab.run("q2", tmp_path / "late", laps=most + 1, preload=True, workers=1)


def test_the_sums_of_q15_have_room_too(tmp_path: Path) -> None:
    """128 bits hold the sums over a billion days of small change, not of a million each."""
    data = small_data.make(tmp_path / "small", 1, tickets=40, users=4, clicks_per_user=10)
    sales = [*data.sales, data.sales[-1]._replace(date=20_000_000)]
    small_data.write(tmp_path / "late", sales, data.clicks, data.categories, data.pages)
    most = Workload("q15", Catalog.open(tmp_path / "late")).room
    assert 1 < most.laps < 1 << 20
    assert most.reason == "more would take a day's cents past 64 bits, or the sums over days and cents past 128"
    result = streambench.lab.run("q15", tmp_path / "late", laps=min(most.laps, 200_000), preload=True, workers=1)
    assert (result.sequence_ok, result.answer_ok) == (True, True), result.problem


def test_no_lap_of_q15_fits_where_a_day_has_more_cents_than_64_bits_hold() -> None:
    def room(cents: int) -> int:
        dates, each = np.zeros(4, dtype=np.int64), np.full(4, cents, dtype=np.int64)
        stream = Stream("store_sales", ("date", "item", "cents"), (dates, dates, each), 4, (1, 0, 0))
        return most_laps(stream)[0]

    assert room(1 << 60) > 1
    assert room(1 << 61) == 0


def test_a_room_says_what_does_not_fit() -> None:
    room = LapRoom(1, "column x rises by 7 with each lap and must stay below 2**63")
    room.require(1)
    assert room.warning("q1", 1) is None
    assert str(room.warning("q1", 1000)).startswith(
        "q1: runs are shorter than asked for, 1 laps instead of 1,000: column"
    )
    with pytest.raises(OptionError, match=r"^2 laps do not fit, 1 does: column x rises by 7 "):
        room.require(2)
    with pytest.raises(DataError, match=r"^the stream does not fit: column x"):
        LapRoom(0, "column x").require(1)


def test_bench_runs_as_many_laps_as_fit_and_says_so(huge: Path) -> None:
    wanted = QueryBench(queries=["Q3"], workers=[1], repeats=1, min_seconds=0.3)
    found = measure(wanted, data=BenchData(Catalog.open(huge)))
    assert {run["laps"] for run in found["runs"]} == {4}
    assert all(run["sequence_ok"] and run["answer_ok"] for run in found["runs"])
    (told,) = [warning for warning in found["warnings"] if "shorter" in warning]
    assert told.startswith("q3: runs are shorter than asked for, 4 laps instead of ")


def test_sweep_runs_as_many_laps_as_fit_and_says_so(huge: Path, tmp_path: Path) -> None:
    schedule = Schedule(tuple(Product(queries=("q1",), workers=(1,)).comparisons()), repeats=1, seconds=0.3)
    kept: list[dict[str, Any]] = []
    with Journal(tmp_path, "sweep", "x") as journal:
        runs = measure(SweepBench(schedule), data=BenchData(Catalog.open(huge)), journal=journal)["runs"]
        kept += journal.records
    assert {run["laps"] for run in runs} == {4}
    assert all(run["sequence_ok"] and run["answer_ok"] for run in runs)
    (length,) = [record for record in kept if record["step"] == "length"]
    assert length["warnings"][0].startswith("q1: runs are shorter than asked for, 4 laps instead of ")


def test_verify_replays_as_often_as_fits_and_says_so(huge: Path, tmp_path: Path) -> None:
    grid = Grid(workers=(2,), units=(7,), partitions=(10,), covering=True)
    (verdict,) = verify(Catalog.open(huge), ["Q3"], ["paper"], grid).verdicts
    assert (verdict.query, verdict.mismatches, verdict.note) == ("q3", [], None)
    data = small_data.make(tmp_path / "small", 1, tickets=20, users=4, clicks_per_user=10)
    clicks = [each._replace(sales=None if each.sales is None else (1 << 62) - 41 + each.sales) for each in data.clicks]
    small_data.write(tmp_path / "one", data.sales, clicks, data.categories, data.pages)
    (verdict,) = verify(Catalog.open(tmp_path / "one"), ["q3"], ["paper"], grid).verdicts
    assert verdict.mismatches == []
    assert str(verdict.note).startswith(
        "q3 paper: runs are shorter than asked for, 2 laps instead of 3: column wcs_sales"
    )
