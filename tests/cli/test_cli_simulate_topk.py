"""`streambench simulate topk` says of every number that it is simulated, and refuses in one sentence what it cannot."""

from __future__ import annotations

import json

import pytest
from hand_made import Call


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--designs", "sequential"], "sequential"),
        (["--topology", "4"], "or sockets times clusters times cores, such as 2x8x8, not '4'"),
        (["--cores", "1,300"], "--cores are from 1 to 256 in a --topology of 1x256, not 300"),
        (["--alphas", "11"], "--alphas must be from 0 to 10"),
        (["--items", "0"], "--items"),
        (["--items", "100000000"], "--items must be at most 10000000, not 100000000"),
        (["--seed", "-1"], "--seed must be from 0"),
    ],
)
def test_what_cannot_be_simulated_is_one_sentence(call: Call, words: list[str], why: str) -> None:
    called = call("simulate", "topk", *words)
    assert called.code == 2
    assert why in called.err


def test_what_is_simulated_is_called_so(call: Call) -> None:
    words = ("simulate", "topk", "--alphas", "1.5", "--items", 2000)
    called = call(*words, "--designs", "fast,shared", "--cores", "1,3", "--json", "-")
    assert (called.code, called.err) == (0, "")
    told = json.loads(called.out)
    assert told["simulated"] is True
    assert told["topology_is"] == "assumed"
    assert [(row["design"], row["simulated"], row["threads"]) for row in told["rows"]] == [
        (name, True, cores) for name in ("fast", "shared") for cores in (1, 3)
    ]
    called = call(*words, "--designs", "hybrid", "--cores", 2, "--topology", "1x2", "--beside-real")
    assert called.code == 0
    assert "simulated, not measured; topology 1x2 (given)" in called.out
