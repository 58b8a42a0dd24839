"""`streambench run --decisions` writes a log, and `streambench replay` decides it again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hand_made import Call


@pytest.fixture
def log(call: Call, data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "q1.log.gz"
    called = call("run", "q1", "--data", data, "--workers", 2, "--laps", 20_000, "--no-check", "--decisions", path)
    assert called.code == 0, called.err
    assert f"written: {path}" in called.out
    return path


def with_header(log: Path, **changes: Any) -> None:
    header, rest = gzip.decompress(log.read_bytes()).split(b"\n", 1)
    log.write_bytes(gzip.compress(json.dumps({**json.loads(header), **changes}).encode() + b"\n" + rest))


def test_a_run_is_decided_again_without_its_data(call: Call, data: Path, log: Path) -> None:
    for each in sorted(data.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    called = call("replay", log)
    assert called.code == 0, called.err
    heads = called.out.splitlines()[1].split()
    assert heads == ["when", "plan", "unit", "in", "flight", "resting", "bound"]
    assert "0.000000 s" in called.out
    assert "The controller decides the same: " in called.out


def test_the_same_as_json(call: Call, log: Path, tmp_path: Path) -> None:
    called = call("replay", log, "--json", "-")
    assert called.code == 0
    content = json.loads(called.out)
    assert content["same"] is True
    assert content["difference"] is None
    assert content["operators"][-1] == "TableSink"
    assert content["choices"][0] | {"in_flight": 0} == {
        "number": 0,
        "seconds": 0.0,
        "unit": 16,
        "in_flight": 0,
        "plan": "whole",
        "bound": True,
        "resting": 0,
    }
    assert call("replay", log, "--json", tmp_path / "told.json").code == 0
    assert json.loads((tmp_path / "told.json").read_text()) == content


def test_of_a_run_too_long_for_the_log_it_says_how_much_was_kept(call: Call, log: Path) -> None:
    with_header(log, asked=1_000_000)
    called = call("replay", log)
    assert called.code == 0
    assert ", the first of 1,000,000, by version" in called.out


def test_another_decision_is_told_and_is_an_error(call: Call, log: Path, tmp_path: Path) -> None:
    header = json.loads(gzip.decompress(log.read_bytes()).split(b"\n", 1)[0])
    with_header(log, due=header["due"] + 1, constants={**header["constants"], "first_look": 300_001.0})
    called = call("replay", log, "--json", tmp_path / "told.json")
    assert called.code == 1
    assert "note: the constant first_look is 300000.0 now, 300001.0 in the log." in called.out
    assert f"{log}: the controller decides otherwise before the first decision" in called.error
    content = json.loads((tmp_path / "told.json").read_text())
    assert content["same"] is False
    assert content["difference"]["what"] == "ticks until the first look"
    assert content["constants"] == {"first_look": {"then": 300_001.0, "now": 300_000.0}}


def test_what_is_no_such_log_is_refused(call: Call, log: Path, tmp_path: Path) -> None:
    assert call("replay", tmp_path / "nowhere").code == 2
    called = call("replay", log, "--json", log)
    assert called.code == 2
    assert "would replace the log" in called.error
    log.write_bytes(log.read_bytes()[:-20])
    called = call("replay", log)
    assert called.code == 2
    assert "is truncated" in called.error
    (tmp_path / "text").write_text("no log")
    called = call("replay", tmp_path / "text")
    assert called.code == 2
    assert "is no log of decisions" in called.error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--engine", "serial"), "--decisions are those of --engine ordered, and serial takes none"),
        (("--heuristic", "ct"), "--decisions are those of --engine ordered, and schemes takes none"),
        (("--engine", "spark"), "--decisions is not for --engine spark: leave it out."),
        (("--resident", "--json", "-"), "--decisions is of one run"),
    ],
)
def test_who_decides_nothing_writes_no_log(
    call: Call, data: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    called = call("run", "q1", "--data", data, "--decisions", tmp_path / "log", *words)
    assert called.code == 2
    assert said in called.error
    assert not (tmp_path / "log").exists()


def test_the_log_has_its_own_file(call: Call, data: Path, tmp_path: Path) -> None:
    called = call("run", "q1", "--data", data, "--decisions", tmp_path / "a", "--json", tmp_path / "a")
    assert called.code == 2
    assert "name the same file" in called.error
