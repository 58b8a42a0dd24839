"""`streambench bench peers` prints every peer with what it guarantees, and tells whom it leaves out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hand_made import Call

from streambench.lab.peers import polars_batch
from streambench.lab.peers.named import NAMES
from streambench.lab.peers.peer import INSTALL, lacks
from streambench.lab.record import results


@pytest.mark.slow
def test_a_row_for_each_peer_and_a_word_on_whom_is_left_out(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polars_batch, "PEER", replace(polars_batch.PEER, missing=lambda: lacks("no-such-package")))
    folder = tmp_path / "results"
    options = (
        "--data",
        data,
        "--peers",
        "duckdb,polars",
        "--repeats",
        1,
        "--run-time",
        "10ms",
        "--workers",
        1,
        "--results",
        folder,
    )
    called = call("bench", "peers", "q15", *options, "--json", "-")
    assert called.code == 0, called.err
    rows = json.loads(called.out)
    assert [(row["peer"], row["order"], row["verified"]) for row in rows] == [
        ("serial", "sequence", True),
        ("ordered", "sequence", True),
        ("duckdb", "none", True),
    ]
    assert "note: polars is left out: no-such-package" in called.err
    assert "Order: the sequence of one thread, tuple by tuple." in " ".join(called.err.split())
    (written,) = folder.glob("*-peers.json")
    runs = results.read(written)["runs"]
    assert [run["latency"] is None for run in runs] == [False, False, True]


def test_what_cannot_be_asked_for_is_told(call: Call, data: Path) -> None:
    for words, told in (
        (("q5",), "no query 'q5': choose from q1, q2, q3, q4, q15"),
        (("q1", "--peers", "storm"), "takes some of onetbb"),
        (("--run-time", "0s"), "--run-time takes a time such as"),
    ):
        called = call("bench", "peers", *words, "--data", data)
        assert called.code == 2
        assert told in called.error
    assert (
        "There is no data directory" in call("bench", "peers", "--data", data / "nothere").error
    )  # and no note before it


def test_help_says_which_peers_there_are_and_which_are_here(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polars_batch, "PEER", replace(polars_batch.PEER, missing=lambda: lacks("no-such-package")))
    told = " ".join(call("bench", "peers", "--help").out.split())
    assert all(f"{name} " in told for name in NAMES)
    assert "duckdb batch; duckdb" in told
    assert "polars batch; not here: no-such-package is not installed" in told
    assert INSTALL in told
