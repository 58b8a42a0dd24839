"""`streambench run` with the schemes of the paper, and with --worker-time and --timeline."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hand_made import Call

from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("reorder", REORDERS)
@pytest.mark.parametrize("partitioning", PARTITIONINGS)
def test_every_scheme_and_heuristic_can_be_chosen_and_is_recorded(
    call: Call, data: Path, tmp_path: Path, heuristic: str, reorder: str, partitioning: str
) -> None:
    out = tmp_path / "run.json"
    words = ["--heuristic", heuristic, "--reorder", reorder, "--partitioning", partitioning]
    called = call("run", "q1", "--data", data, "--workers", 3, "--unit", 1, "--no-fuse", *words, "--json", out)
    assert called.code == 0, called.err
    result = json.loads(out.read_text())
    assert result["sequence_ok"] is True
    assert result["answer_ok"] is True
    chosen = result["options"]
    assert [chosen["heuristic"], chosen["reorder"], chosen["partitioning"]] == [heuristic, reorder, partitioning]
    assert chosen["partitions"] == (3 if partitioning == "partitioned" else 24)


# The streams of `hand_made`: three clicks, two of them views, which are one session, whose cart is abandoned; and seven
# lines of four tickets, three of two items.
COUNTED = {
    "q4": [("BatchSource", 3), ("PageClicks", 3), ("CartSessions", 2), ("AbandonedCarts", 1), ("CartTotals", 1)],
    "q1": [("BatchSource", 7), ("KeepLines", 7), ("TicketPairs", 7), ("PairCounts", 3), ("TopPairs", 3)],
}
EMITTED = {"q4": 1, "q1": 3}
ENGINES = {
    "serial": ["--engine", "serial"],
    "chosen": [],
    "sharded": ["--plan", "sharded"],
    "schemes": ["--heuristic", "ct", "--no-fuse"],
}


@pytest.mark.slow
@pytest.mark.parametrize("how", ENGINES)
@pytest.mark.parametrize("query", COUNTED)
def test_the_profile_counts_what_goes_in_and_out_of_every_operator(
    call: Call, data: Path, query: str, how: str
) -> None:
    called = call("run", query, "--data", data, "--workers", 2, "--worker-time", *ENGINES[how])
    assert called.code == 0, called.err
    lines = called.out.splitlines()
    begun = [line.strip() for line in lines].index("profile")
    heads = [each.strip() for each in re.split(r"  +", lines[begun + 1].strip())]
    assert heads[:6] == ["stage", "worker time", "share", "ns/tuple", "tuples in", "out/in"]
    operators = [*COUNTED[query], ("TableSink", EMITTED[query])]
    rows = [re.split(r"  +", line.strip()) for line in lines[begun + 2 : begun + 2 + len(operators)]]
    assert [(row[0], float(row[4])) for row in rows] == operators
    for row, (_, given), (_, left) in zip(rows, operators, operators[1:], strict=False):
        assert float(row[5]) == pytest.approx(left / given, rel=5e-3), row[0]
    assert sum(float(row[2].rstrip(" %")) for row in rows) == pytest.approx(100, abs=0.1 * len(rows))
    assert all(int(row[6]) >= 1 for row in rows), "everyone is visited"
    assert all((each.isdecimal() if how == "schemes" else each == "-") for row in rows[:-1] for each in row[7:])


def test_the_samples_over_time_are_in_the_json_of_a_profiled_run_only(call: Call, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    assert call("run", "q4", "--data", data, "--heuristic", "ct", "--worker-time", "--json", out).code == 0
    samples = json.loads(out.read_text())["timeline"]
    assert len(samples["at"]) == len(samples["queued"]) == len(samples["waiting"]) >= 1
    for how in (["--plan", "cut"], ["--engine", "serial"]):
        assert call("run", "q4", "--data", data, *how, "--worker-time", "--json", out).code == 0
        spans = json.loads(out.read_text())["timeline"]
        assert len(spans["worker"]) == len(spans["begin"]) == len(spans["shard"]) >= 1
    assert call("run", "q4", "--data", data, "--json", out).code == 0
    assert json.loads(out.read_text())["timeline"] is None


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("how", [[], ["--heuristic", "ct"], ["--engine", "serial"]])
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
    called = call("run", "q1", "--data", data, "--timeline", trace, "--json", out, "--plan", "cut", "--workers", 2)
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
        (["--timeline", "t.json", "--heuristic", "lp"], "--timeline t.json would hold a lane for each worker, and the"),
        (["--timeline", "t.csv", "--no-fuse"], "--timeline t.csv would hold a lane for each worker, and the"),
        (["--capacity", 0], "--capacity must be at least 1, not 0."),
    ],
)
def test_what_cannot_be_drawn_or_met_is_refused(call: Call, data: Path, words: list[str], sentence: str) -> None:
    called = call("run", "q1", "--data", data, *words)
    assert called.code == (1 if "no/such" in str(words[1]) else 2)
    assert sentence in called.err


@pytest.mark.parametrize("option", ["--heuristic", "--reorder", "--partitioning"])
def test_an_unknown_scheme_is_refused_with_the_known_ones(call: Call, data: Path, option: str) -> None:
    called = call("run", "q1", "--data", data, option, "fifo")
    assert called.code == 2
    assert "'fifo' is not one of" in called.err
