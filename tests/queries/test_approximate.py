"""Q1 and Q2 in bounded memory: one sequence whatever runs them, and bounds that hold by SQL."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_data

import streambench
import streambench.lab
from streambench.errors import OptionError
from streambench.lab.check.grid import Grid
from streambench.lab.check.verify import verify
from streambench.lab.data.catalog import Catalog

FEW = Grid(
    plans=("sharded",),
    heuristics=("ct",),
    reorders=("nonblocking",),
    partitionings=("hybrid",),
    workers=(3,),
    units=(1, 100),
    partitions=(1, 10),
    covering=True,
)


@pytest.mark.slow
def test_every_engine_gives_one_sequence_and_its_bounds_hold(tmp_path: Path) -> None:
    data = Catalog.open(small_data.make(tmp_path / "d", 2).path)
    report = verify(data, None, ("paper", "kit"), FEW, approximate=0.2)
    assert report.ok, [each.mismatches[:1] for each in report.verdicts]
    assert [each.query for each in report.verdicts] == ["q1", "q1", "q2", "q2"]


def test_a_run_says_how_far_its_answer_is_from_the_exact_one(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 1).path
    exact = streambench.lab.run("q2", data, workers=2)
    fine = streambench.lab.run("q2", data, workers=2, approximate=1e-3)
    assert exact.approximation is None
    told = fine.approximation
    assert told is not None
    assert (told["recall"], told["precision"], told["guaranteed"], told["error_bound"]) == (1.0, 1.0, 30, 0)
    assert fine.answer is not None
    assert fine.answer.drop_columns(["lower", "guaranteed"]).equals(exact.answer)
    coarse = streambench.lab.run("q2", data, workers=2, approximate=0.5)
    told = coarse.approximation
    assert told is not None
    assert (told["epsilon"], told["counters"]) == (0.5, 32)
    assert 0 < told["recall"] < 1
    assert 0 < told["greatest_error"] <= told["error_bound"] <= told["n"] / 2
    assert coarse.answer_ok


def test_laps_too_many_for_sql_are_judged_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = small_data.make(tmp_path / "d", 2).path
    one = streambench.lab.run("q1", data, approximate=0.2).approximation
    monkeypatch.setattr("streambench.lab.workloads.approximate.SQL_TUPLES", 1000)
    monkeypatch.setattr("streambench.lab.workloads.workload.SQL_TUPLES", 1000)
    three = streambench.lab.run("q1", data, approximate=0.2, laps=3, preload=True)
    assert (three.sequence_ok, three.answer_ok) == (True, True)
    assert one is not None
    assert three.approximation is not None
    assert three.approximation["n"] == 3 * one["n"]
    assert three.approximation["recall"] == one["recall"]


def test_what_cannot_be_approximated_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="q4 cannot be approximated: q1 and q2 can"):
        streambench.lab.run("q4", small_data.make(tmp_path / "d", 1).path, approximate=1e-3)
    with pytest.raises(OptionError, match="approximate belongs to queries"):
        streambench.lab.run("a:b", approximate=1e-3)
