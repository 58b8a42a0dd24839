"""`streambench bench topk` prints, writes, draws, and refuses in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call, write_clicks, write_sales

from streambench.lab.measure.topk import run as runs
from streambench.lab.record import results

TINY = (
    *("--designs", "locked,cooperative", "--alphas", "1.5", "--streams", "2", "--items", "2000"),
    *("--repeats", "1", "--epsilon", "0.01"),
)


def test_summaries_are_measured_printed_written_and_drawn(call: Call, tmp_path: Path) -> None:
    folder, rows = tmp_path / "results", tmp_path / "rows.json"
    called = call("bench", "topk", *TINY, "--figures", "updates", "--results", folder, "--json", rows)
    assert called.code == 0, called.err
    (path,) = folder.glob("*-topk-bench.json")
    document = results.read(path)
    assert json.loads(rows.read_text()) == document["summary"]
    assert [(row["design"], row["threads"], row["alpha"]) for row in document["summary"]] == [
        ("locked", 2, 1.5),
        ("cooperative", 2, 1.5),
    ]
    assert "updates/s" in called.out
    drawn = sorted(each.name for each in path.with_suffix("").iterdir())
    assert drawn == [f"figure-updates.{kind}" for kind in ("csv", "png", "svg")]
    assert not list(folder.glob("unfinished-*"))


def test_lines_clicks_and_words_are_streams_beside_zipfs(call: Call, tmp_path: Path) -> None:
    write_clicks(tmp_path / "data")
    write_sales(tmp_path / "data")
    sources = ("zipf", "lines", "items", "pages", "words")
    few = ("--sources", ",".join(sources), "--data", tmp_path / "data", *TINY, "--streams", "1", "--items", "3")
    rows = tmp_path / "rows.json"
    called = call("bench", "topk", *few, "--no-figures", "--results", tmp_path, "--json", rows)
    assert called.code == 0, called.err
    found = json.loads(rows.read_text())
    assert {(row["source"], row["alpha"]) for row in found} == {
        (each, 1.5 if each == "zipf" else None) for each in sources
    }
    frequent = {row["source"]: row["frequent_items"] for row in found}
    assert {each: frequent[each] for each in ("lines", "items", "pages")} == {"lines": 2, "items": 3, "pages": 2}
    assert {(row["recall"], row["precision"], row["relative_error"]) for row in found} == {(1, 1, 0)}


def test_a_table_that_is_missing_is_named(call: Call, tmp_path: Path) -> None:
    write_clicks(tmp_path)
    few = ("bench", "topk", *TINY, "--data", tmp_path, "--no-figures", "--results", tmp_path / "results")
    called = call(*few, "--sources", "lines")
    assert called.code == 1
    assert called.error.startswith(f"streambench: Table store_sales is missing from {tmp_path}: make it with ")


def test_words_take_no_data(call: Call, tmp_path: Path) -> None:
    few = ("bench", "topk", *TINY, "--no-figures", "--results", tmp_path / "results", "--sources", "words")
    assert call(*few).code == 0
    called = call(*few, "--data", tmp_path)
    assert called.code == 2
    assert "--data is of lines and clicks, and --sources names neither" in called.err


def test_more_items_than_there_are_clicks_are_refused(call: Call, tmp_path: Path) -> None:
    write_clicks(tmp_path)
    few = ("bench", "topk", *TINY, "--data", tmp_path, "--no-figures", "--results", tmp_path / "results")
    called = call(*few, "--sources", "items", "--streams", "2", "--items", "2")
    assert called.code == 1
    assert "has 3 items of clicks, and 2 streams of 2 take 4: give fewer --items" in called.err


def test_a_wrong_run_is_marked_and_the_command_fails(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "wrong_answer", lambda found, exact, epsilon: "it is wrong")
    called = call("bench", "topk", *TINY, "--figures", "updates", "--results", tmp_path)
    assert called.code == 1
    assert (
        "wrong results, which have no number: locked, 2 threads, α 1.5, ε 0.01, cooperative, 2 threads, α 1.5, ε 0.01."
        in called.err
    )
    assert "no, 1 of 1 wrong" in called.out


def test_what_cannot_be_measured_is_refused_before(call: Call, tmp_path: Path) -> None:
    called = call("bench", "topk", "--designs", "quick", "--results", tmp_path)
    assert called.code == 2
    assert called.error.startswith("streambench: --designs takes some of ")
    called = call("bench", "topk", "--figures", "3", "--results", tmp_path)
    assert called.code == 2
    assert called.error.startswith("streambench: there is no figure 3: choose from 1,")
