"""`streambench run` with the schemes of the paper, and with --profile and --timeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call

from streambench.options import PARTITIONINGS, REORDERS, SCHEDULERS


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("reorder", REORDERS)
@pytest.mark.parametrize("partitioning", PARTITIONINGS)
def test_every_scheme_and_heuristic_can_be_chosen_and_is_recorded(
    call: Call, data: Path, tmp_path: Path, scheduler: str, reorder: str, partitioning: str
) -> None:
    out = tmp_path / "run.json"
    words = ["--scheduler", scheduler, "--reorder", reorder, "--partitioning", partitioning]
    called = call("run", "q1", "--data", data, "--workers", 3, "--unit", 1, "--no-segments", *words, "--json", out)
    assert called.code == 0, called.err
    result = json.loads(out.read_text())
    assert result["sequence_ok"] is True
    assert result["answer_ok"] is True
    chosen = result["options"]
    assert [chosen["scheduler"], chosen["reorder"], chosen["partitioning"]] == [scheduler, reorder, partitioning]
    assert chosen["partitions"] == (3 if partitioning == "partitioned" else 24)


@pytest.mark.parametrize("engine", ["serial", "ordered"])
def test_the_profile_names_every_operator_with_its_share(call: Call, data: Path, engine: str) -> None:
    called = call("run", "q4", "--data", data, "--engine", engine, "--no-segments", "--profile")
    assert called.code == 0, called.err
    for word in ("worker time", "share", "PageClicks", "CartSessions", "CartTotals", "TableSink", "contended"):
        assert word in called.out


def test_the_samples_over_time_are_in_the_json_of_a_profiled_run_only(call: Call, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    assert call("run", "q4", "--data", data, "--scheduler", "ct", "--profile", "--json", out).code == 0
    samples = json.loads(out.read_text())["timeline"]
    assert len(samples["at"]) == len(samples["queued"]) == len(samples["waiting"]) >= 1
    for how in (["--plan", "serial"], ["--engine", "serial"]):
        assert call("run", "q4", "--data", data, *how, "--profile", "--json", out).code == 0
        spans = json.loads(out.read_text())["timeline"]
        assert len(spans["worker"]) == len(spans["begin"]) == len(spans["shard"]) >= 1
    assert call("run", "q4", "--data", data, "--json", out).code == 0
    assert json.loads(out.read_text())["timeline"] is None


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("how", [[], ["--scheduler", "ct"], ["--engine", "serial"]])
def test_the_timeline_is_drawn_where_it_is_asked_for(
    call: Call, data: Path, tmp_path: Path, ending: str, how: list[str]
) -> None:
    picture = tmp_path / f"timeline.{ending}"
    called = call("run", "q1", "--data", data, "--timeline", picture, *how)
    assert called.code == 0, called.err
    assert f"written: {picture}" in called.out
    assert picture.stat().st_size > 1000


def test_the_timeline_shows_the_engine_that_runs_without_it(call: Call, data: Path, tmp_path: Path) -> None:
    trace, out = tmp_path / "q1.json", tmp_path / "run.json"
    called = call("run", "q1", "--data", data, "--timeline", trace, "--json", out, "--plan", "serial", "--workers", 2)
    assert called.code == 0, called.err
    assert "schemes" not in called.out
    events = json.loads(trace.read_text())["traceEvents"]
    result = json.loads(out.read_text())
    assert [event["name"] for event in events if event.get("cat") == "decision"] == [
        choice["plan"] for choice in result["choices"]
    ]
    admitted = sum(event["args"]["units"] for event in events if event.get("cat") == "admission")
    assert admitted == result["profile"][0]["visits"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--timeline", "picture.bmp"],
            "--timeline picture.bmp must end in .png, .svg, .pdf, .csv, .json: give",
        ),
        (["--timeline", "no/such/folder/t.png"], "--timeline no/such/folder/t.png has no folder"),
        (["--timeline", "t.json", "--scheduler", "lp"], "--timeline t.json would hold a lane for each worker, and the"),
        (["--timeline", "t.csv", "--no-segments"], "--timeline t.csv would hold a lane for each worker, and the"),
        (["--capacity", 0], "--capacity must be at least 1, not 0."),
    ],
)
def test_what_cannot_be_drawn_or_met_is_refused(call: Call, data: Path, words: list[str], sentence: str) -> None:
    called = call("run", "q1", "--data", data, *words)
    assert called.code == (1 if "no/such" in str(words[1]) else 2)
    assert sentence in called.err


@pytest.mark.parametrize("option", ["--scheduler", "--reorder", "--partitioning"])
def test_an_unknown_scheme_is_refused_with_the_known_ones(call: Call, data: Path, option: str) -> None:
    called = call("run", "q1", "--data", data, option, "fifo")
    assert called.code == 2
    assert "'fifo' is not one of" in called.err
