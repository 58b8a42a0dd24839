"""Results of every kind are rows of one frame: as many as there were runs, with the numbers that the summaries have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made_up_joins
import made_up_perf
import made_up_sweep
import made_up_topk
import pytest

import streambench
import streambench.lab
from streambench.errors import StreambenchError
from streambench.lab.record import results
from streambench.lab.record.frame import COLUMNS


def written(folder: Path, *documents: dict[str, Any]) -> None:
    for document in documents:
        results.write(document, folder)


def test_a_frame_of_all_kinds_has_a_row_for_each_run_and_the_documented_columns(tmp_path: Path) -> None:
    sweep = made_up_sweep.document([*made_up_sweep.serial(), *made_up_sweep.runs()])
    others = [made_up_joins.document(repeats=2), made_up_topk.document(repeats=1)]
    written(tmp_path, sweep, *others, made_up_perf.document(repeats=3))
    frame = streambench.lab.load_results(tmp_path)
    assert set(COLUMNS) <= set(frame.columns)
    counts = frame["kind"].value_counts().to_dict()
    assert counts == {
        "sweep": 18,
        "join-bench": len(others[0]["runs"]),
        "topk-bench": len(others[1]["runs"]),
        "perf": 12,
    }
    assert frame["created"].dt.year.eq(2030).all()
    assert frame["verified"].all()
    assert set(frame.loc[frame["kind"] == "join-bench", "engine"]) == {"scan", "index", "ring"}
    perf = frame[frame["kind"] == "perf"]
    assert perf.loc[perf["quantity"] == "fast", "value"].eq(1.0).all()
    assert frame.loc[frame["kind"] == "topk-bench", "throughput"].gt(0).all()


def test_the_speed_up_is_the_summarys_ratio_and_pairs_runs_of_one_repeat(tmp_path: Path) -> None:
    serial = made_up_sweep.serial(1e6, jitter=(1.0, 2.0, 3.0)) + made_up_sweep.serial(
        4e5, unit=1, jitter=(1.0, 2.0, 3.0)
    )
    written(tmp_path, made_up_sweep.document([*serial, *made_up_sweep.runs(3e6, jitter=(1.0, 2.5, 3.0))]))
    frame = streambench.lab.load_results(tmp_path / "*.json")
    schemes = frame[frame["engine"] == "schemes"]
    assert schemes["speed_up"].tolist() == pytest.approx([3.0, 3.75, 3.0])
    (row,) = [row for row in results.read(next(tmp_path.iterdir()))["summary"] if row["engine"] == "schemes"]
    assert schemes["speed_up"].median() == pytest.approx(row["ratio"]["median"])


def test_a_wrong_run_has_no_number_and_is_told_to_be_wrong(tmp_path: Path) -> None:
    good, bad = made_up_sweep.runs(heuristic="lp"), made_up_sweep.runs(heuristic="ct")
    for run in bad:
        run["sequence_ok"] = False
    written(tmp_path, made_up_sweep.document([*made_up_sweep.serial(), *good, *bad]))
    frame = streambench.lab.load_results(str(tmp_path))
    wrong = frame[~frame["verified"]]
    assert set(wrong["heuristic"]) == {"ct"}
    assert wrong[["throughput", "seconds", "speed_up", "latency_p50", "latency_mean"]].isna().all(axis=None)
    assert frame.loc[frame["heuristic"] == "lp", "throughput"].notna().all()


def test_runs_that_were_not_checked_are_neither_right_nor_wrong(tmp_path: Path) -> None:
    runs = [{"query": "q1", "engine": "a", "throughput": 1.0, **more} for more in ({}, {"sequence_ok": True})]
    written(tmp_path, made_up_sweep.document([]) | {"kind": "another", "runs": runs})
    frame = streambench.lab.load_results(tmp_path)
    assert frame["verified"].isna().tolist() == [True, False]
    assert frame.loc[1, "verified"]
    assert frame["throughput"].tolist() == [1.0, 1.0]
    assert frame[~frame["verified"]].empty


def test_parameters_of_parametric_pipelines_are_columns(tmp_path: Path) -> None:
    micro = made_up_sweep.micro(("ps", 50.0, 1.0), keys="normal", sigma=0.1)
    written(tmp_path, made_up_sweep.document(made_up_sweep.runs(micro=micro, partitions=100)))
    (first, *_) = streambench.lab.load_results(tmp_path).to_dict("records")
    assert (first["cost_us"], first["sigma"], first["keys"], first["partitions"]) == (50.0, 0.1, "normal", 100)
    assert first["workload"] == "ps, 50 µs, normal 0.1"


def test_what_is_no_result_or_not_there_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match="there is no result file in"):
        streambench.lab.load_results(tmp_path)
    with pytest.raises(StreambenchError, match=r"there is no result file .*none-\*\.json"):
        streambench.lab.load_results(tmp_path / "none-*.json")
    with pytest.raises(StreambenchError, match="cannot be read"):
        streambench.lab.load_results(tmp_path / "none.json")
    with pytest.raises(StreambenchError, match="no result file was named"):
        streambench.lab.load_results([])
