"""`streambench bench joins` prints, writes, draws, and refuses in one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hand_made import Call

from streambench.lab import figures
from streambench.lab.figures.joins import PAPER
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.record import results

TINY = (
    *("--windows", "0.02", "--repeats", "1", "--run-time", "2ms", "--most-tuples", "1024", "--workers", "1,2"),
    *("--studies", "8a", "--study-seconds", "0.1", "--no-gates"),
)


def test_joins_are_measured_printed_written_and_drawn(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(figures.PAPERS, PAPER.kind, replace(PAPER, figures=PAPER.figures[:1]))
    folder, rows = tmp_path / "results", tmp_path / "rows.json"
    called = call("bench", "joins", "--tiers", "codes,index", *TINY, "--results", folder, "--json", rows)
    assert called.code == 0, called.err
    (path,) = folder.glob("*-join-bench.json")
    document = results.read(path)
    assert json.loads(rows.read_text()) == document["summary"]
    assert {(row["tier"], row["threads"]) for row in document["summary"] if row["measure"] == "latency"} == {
        (tier, threads) for tier in ("codes", "index") for threads in (1, 2)
    }
    assert "comparisons/s" in called.out
    assert sorted(each.name for each in path.with_suffix("").iterdir()) == [
        f"figure-5a.{kind}" for kind in ("csv", "png", "svg")
    ]
    assert not list(folder.glob("unfinished-*"))


def test_a_wrong_run_is_marked_and_the_command_fails(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PaperStreams, "reference", lambda self, window, steady, filled=True: "0" * 16)
    called = call("bench", "joins", "--tiers", "codes", *TINY, "--results", tmp_path)
    assert called.code == 1
    assert "wrong results, which have no number: throughput of scale, codes with 1 thread" in called.err
    assert "no, 1 of 1 wrong" in called.out


def test_what_cannot_be_measured_is_refused_before(call: Call, tmp_path: Path) -> None:
    called = call("bench", "joins", "--tiers", "fast", "--results", tmp_path)
    assert (called.code, called.error) == (
        2,
        "streambench: --tiers takes some of scan,simd,codes,index, with commas, not 'fast'.",
    )
    called = call("bench", "joins", "--windows", "0", "--results", tmp_path)
    assert (called.code, called.error) == (2, "streambench: --windows must last more than 0 and at most 86400 seconds.")
