"""`streambench simulate run` says of every number that it is simulated, and refuses in one sentence what it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hand_made import Call
from made_up_simulation import simulation
from made_up_sweep import document, runs
from own_pipelines import own_module

from streambench.lab.record import results

SHORT = (
    "note: the stream is shorter than {} units of {} tuples, 10 for each core, so how the run begins and ends is a "
    "large part of it: take a longer stream or a smaller --unit.\n"
)

EMPTY = """
def empty():
    return pipeline(TableSource([array[:0] for array in arrays], NAMES), KeepLines(stores=[1, 2]))
"""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["q1"], "q1 needs a data directory: name it with --data"),
        (["q9", "--data", "."], "there is no query 'q9'"),
        (
            ["q1", "--data", ".", "--topology", "4"],
            "or sockets times clusters times cores, such as 2x8x8, not '4'",
        ),
        (["q1", "--data", ".", "--cores", "1,300"], "--cores are from 1 to 256 in a --topology of 1x256, not 300"),
        (["q1", "--data", ".", "--seed", "-1"], "--seed must be from 0"),
        (["q1", "--data", ".", "--engine", "serial"], "--engine serial has one thread: simulate schemes or ordered"),
        (["q1", "--data", ".", "--profiles", ""], "'--profiles': the name is empty; give a path"),
        (["q1", "--data", ".", "--against", ""], "'--against': the name is empty; give a path"),
    ],
)
def test_what_cannot_be_simulated_is_one_sentence(call: Call, words: list[str], why: str) -> None:
    called = call("simulate", "run", *words)
    assert called.code == 2
    assert why in called.err


def test_what_is_simulated_is_called_so(call: Call, data: Path) -> None:
    called = call("simulate", "run", "q3", "--data", data, "--cores", "1,4", "--unit", 2, "--json", "-")
    assert (called.code, called.err) == (0, SHORT.format(10, 2))
    told = json.loads(called.out)
    assert told["simulated"] is True
    assert [(row["simulated"], row["cores"]) for row in told["rows"]] == [(True, 1), (True, 4)]
    assert told["ways"] == {"near_line": {"ns": told["times_ns"]["near_line"], "assumed": False}}
    called = call("simulate", "run", "q3", "--data", data, "--cores", 8, "--topology", "2x2x2")
    assert "topology 2x2x2 (given)" in called.out
    assert "from another cluster (assumed), " in called.out
    assert "from another socket (assumed); a wake-up" in called.out
    called = call("simulate", "run", "q3", "--data", data, "--cores", 2)
    assert called.code == 0
    assert called.err.startswith("note: the stream is shorter than 20 units of ")
    assert "q3 by ordered, simulated" in called.out
    assert "simulated, not measured" in called.out
    assert "a look at the clock" in called.out
    assert "`streambench simulate validate` tells how far such numbers are off" in called.out


@pytest.mark.parametrize("command", ["run", "predict", "micro"])
def test_rows_are_not_written_over_the_profiles(call: Call, data: Path, tmp_path: Path, command: str) -> None:
    file = tmp_path / "kept.json"
    file.write_text("profiles")
    of = () if command == "micro" else ("q3", "--data", data)
    called = call("simulate", command, *of, "--profiles", file, "--json", file.parent / "." / file.name)
    assert (called.code, called.out) == (1, "")
    assert called.error == f"streambench: --json {file} is one of the files to be read: choose another place."
    assert file.read_text() == "profiles"


def test_rows_are_not_written_over_what_they_are_laid_beside_or_simulated_from(
    call: Call, data: Path, tmp_path: Path
) -> None:
    file = results.write(document(runs(query="q3")), tmp_path)
    words = ("simulate", "run", "q3", "--data", data, "--cores", 1)
    told = file.read_bytes()
    called = call(*words, "--against", file, "--json", file)
    assert (called.code, called.out) == (1, "")
    assert called.error.endswith(" is one of the files to be read: choose another place.")
    assert file.read_bytes() == told
    own = data / "mine.parquet"
    assert f"--json {own} is in a folder that is read" in call(*words, "--json", own).error


@pytest.mark.parametrize("command", ["run", "predict"])
def test_an_empty_stream_is_refused_in_one_sentence(
    call: Call, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = own_module(tmp_path, monkeypatch, EMPTY)
    called = call("simulate", command, mine["empty"], "--cores", 2, "--json", "-")
    assert (called.code, called.out) == (1, "")
    assert called.error == f"streambench: the stream of {mine['empty']} is empty: there is nothing to simulate."


def test_options_that_change_nothing_are_told(call: Call, data: Path) -> None:
    called = call("simulate", "run", "q3", "--data", data, "--cores", 1, "--engine", "ordered", "--credit", 16)
    assert called.code == 0
    assert called.err.startswith("note: one worker does all by itself: --credit changes nothing.\n")


def test_profiles_are_kept_and_taken_from_their_file(call: Call, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    words = ("simulate", "run", "q3", "--data", data, "--cores", "1,4", "--unit", 2, "--profiles", file)
    first = call(*words, "--json", "-")
    assert (first.code, first.err) == (0, SHORT.format(10, 2))
    again = call(*words, "--json", "-")
    assert json.loads(again.out)["rows"] == json.loads(first.out)["rows"]
    assert json.loads(again.out)["times_ns"] == json.loads(first.out)["times_ns"]
    assert json.loads(again.out)["profiles"]["measured_now"] == 0
    assert f"Taken from {file}: one worker's work" in call(*words).out.replace("\n", " ")
    called = call(
        "simulate", "predict", "q3", "--data", data, "--cores", 4, "--unit", 2, "--profiles", file, "--json", "-"
    )
    assert json.loads(called.out)["profiles"]["measured_now"] == 1  # of two cores
    called = call("simulate", "run", "q2", "--data", data, "--profiles", file)
    assert called.code == 1
    assert called.error == f"streambench: {file} holds profiles of q3, not of q2: name another file."


def test_a_simulated_result_is_not_laid_beside_as_measured(call: Call, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "20300103T000000Z-example-simulation.json"
    file.write_text(json.dumps(simulation(runs(query="q3"))))
    called = call("simulate", "run", "q3", "--data", data, "--cores", 2, "--unit", 1, "--no-fuse", "--against", file)
    assert called.code == 1
    assert called.error == f"streambench: {file} was simulated, not measured: name a result of bench or sweep."
