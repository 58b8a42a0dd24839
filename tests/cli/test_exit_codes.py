"""One rule for all commands: 2 where the command line asks for what cannot be, 1 where data, files, results are wrong.

In short: 2 is mended in the command, 1 elsewhere. Only `gate` has a rule of its own, as its codes are verdicts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hand_made import Call

DATA = "DATA"  # stands for a data directory that is fine
NONE = "NONE"  # for one that is not there
TABLE: list[tuple[int, list[Any]]] = [
    (0, ["--help"]),
    (0, ["run", "q1", "--data", DATA]),
    (2, ["nonsense"]),
    (2, ["run"]),
    (2, ["run", "q1", "--data", DATA, "--nonsense"]),
    (2, ["run", "q1", "--data", DATA, "--workers", "two"]),
    (2, ["run", "q1", "--data", DATA, "--workers", 0]),
    (2, ["run", "q1", "--data", DATA, "--workers", 5000]),
    (2, ["run", "q1", "--data", DATA, "--engine", "fast"]),
    (2, ["run", "q1", "--data", DATA, "--plan", "fast"]),
    (2, ["run", "q1", "--data", DATA, "--rate", "fast"]),
    (2, ["run", "q1", "--data", DATA, "--rate", "1e-9"]),
    (2, ["run", "q1", "--data", DATA, "--laps", 2, "--no-preload"]),
    (2, ["run", "q1", "--data", DATA, "--out", "x", "--emitted", "x"]),
    (2, ["run", "q1", "--data", DATA, "--out", "-"]),
    (2, ["run", "q9", "--data", DATA]),
    (2, ["verify", "q9", "--data", DATA]),
    (2, ["verify", "--data", DATA, "--workers", "0"]),
    (2, ["verify", "--data", DATA, "--engines", "fast"]),
    (2, ["micro", "--tuples", 0]),
    (2, ["micro", "--operators", "xx"]),
    (2, ["micro", "--keys", "zipf", "--sigma", 0.5]),
    (2, ["join", NONE, NONE]),
    (2, ["join", NONE, NONE, "--window", -1]),
    (2, ["topk", NONE]),
    (2, ["topk", NONE, "--column", "x", "--k", 0]),
    (2, ["run", "q1", "--data", DATA, "--approximate", 2]),
    (2, ["bench", "queries", "--queries", "q9"]),
    (2, ["bench", "queries", "--workers", "x"]),
    (2, ["bench", "sweep", "--queries", "q9"]),
    (2, ["bench", "sweep", "--workers", "0"]),
    (2, ["claims", "--unit", 0]),
    (2, ["claims", "--json", "-", "--markdown", "-"]),
    (2, ["data", "generate", "--scale-factor", "nan"]),
    (2, ["data", "generate", "--days", 0]),
    (2, ["data", "check", DATA, "--days", 3]),
    (2, ["data", "ingest", NONE, "--out", "new"]),
    (2, ["data", "ingest", NONE, "--table", "item", "--map", "item"]),
    (
        2,
        [
            "data",
            "ingest",
            NONE,
            "--table",
            "item",
            "--map",
            "item=a",
            "--map",
            "category=b",
            "--partitions",
            0,
            "--out",
            "new",
        ],
    ),
    (1, ["data", "ingest", NONE, "--table", "item", "--map", "item=a", "--map", "category=b", "--out", "new"]),
    (2, ["snet", "run"]),
    (2, ["snet", "fly", NONE]),
    (1, ["snet", "check", NONE]),
    (1, ["run", "q1", "--data", NONE]),
    (1, ["run", "q1", "--data", DATA, "--out", "none/x"]),
    (1, ["verify", "--data", NONE]),
    (1, ["join", NONE, NONE, "--window", 1]),
    (1, ["topk", NONE, "--column", "x"]),
    (1, ["bench", "queries", "--data", NONE]),
    (1, ["figures", NONE]),
    (1, ["claims", NONE]),
    (1, ["data", "check", NONE]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "words"), TABLE, ids=str)
def test_exit_codes_follow_one_rule(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, words: list[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    places = {DATA: str(data), NONE: str(tmp_path / "none")}
    called = call(*(places.get(word, word) for word in words))
    assert called.code == code, called.err
    assert sorted(tmp_path.iterdir()) == before
