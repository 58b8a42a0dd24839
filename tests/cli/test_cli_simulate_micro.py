"""`streambench simulate micro` tells of every part what it is taken for, and refuses in one sentence what it cannot."""

from __future__ import annotations

import json

import pytest
from hand_made import Call

from streambench.lab.cli.simulate import simulation_frame


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--operators", "map"], "map"),
        (["--cost", "-1"], "--cost of operator 1"),
        (["--tuples", "0"], "--tuples must be"),
        (["--cores", "1,300"], "--cores are from 1 to 256 in a --topology of 1x256, not 300"),
        (["--engine", "serial"], "--engine serial has one thread: simulate schemes or ordered"),
        (["--credit-times", "0"], "--credit-times"),
        (["--credit-times", "3", "--credit", "16"], "--credit-times 3 makes --credit 48 on 16 cores, where it is 16"),
        (["--credit", "16384"], "--credit-times 4 makes --credit 65536 on 16 cores, where it is 16384: that must be a"),
        (["--credit-times", "1000000"], "--credit-times 1000000 makes --credit "),
        (["--profiles", ""], "'--profiles': the name is empty; give a path"),
    ],
)
def test_what_cannot_be_simulated_is_one_sentence(
    call: Call, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str
) -> None:
    def measured() -> object:
        raise AssertionError("it is refused before anything is measured")

    monkeypatch.setattr(simulation_frame, "measure", measured)
    called = call("simulate", "micro", *words)
    assert called.code == 2
    assert why in called.err


def lines_of(parts: dict[str, float]) -> float:
    (told,) = (part for name, part in parts.items() if name.startswith("lines between cores"))
    return told


def test_each_part_of_each_engine_has_its_share(call: Call) -> None:
    words = ("simulate", "micro", "--tuples", 4000, "--unit", 16, "--cores", "1,3")
    called = call(*words, "--plan", "sharded", "--json", "-")
    assert (called.code, called.err) == (0, "")
    told = json.loads(called.out)
    assert (told["simulated"], told["engine"], told["topology_is"]) == (True, "ordered", "assumed")
    assert [(row["simulated"], row["cores"]) for row in told["rows"]] == [(True, 1), (True, 3)]
    for row in told["rows"]:
        parts = row["parts"]
        assert all(0 <= part <= 1.001 for part in parts.values())
        assert parts["the cores"] == row["busy"]
        assert lines_of(parts) <= row["waited"] + 1e-9, "who waits for memory does not for lines"
        assert all(part <= row["taken"] == parts[row["first"]] for part in parts.values())
    alone, shared = (row["parts"] for row in told["rows"])
    assert alone["the lock of admission"] == 0, "nobody else wants it"
    assert not any(part for name, part in alone.items() if name.startswith("a line of ")), "nobody else wants any"
    of_operators = {"a partition of MatrixKeyed", "a turn at MatrixKeyed", "a turn at TableSink", "operator TableSink"}
    for name in (*of_operators, "the lock of admission", "a line of admission", "a line of turn"):
        assert 0 < shared[name] < shared["the cores"] + lines_of(shared), name
    called = call(*words, "--reorder", "lock", "--credit-times", 2)
    assert called.code == 0
    assert "by schemes, simulated" in called.out
    assert "with 2 times the credit" in called.out
    assert "simulated, not measured" in called.out
