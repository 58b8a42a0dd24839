"""`streambench simulate join` says of every number that it is simulated, and refuses in one sentence what it cannot."""

from __future__ import annotations

import json

import pytest
from hand_made import Call


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--tiers", "list"], "list"),
        (["--topology", "4"], "or sockets times clusters times cores, such as 2x8x8, not '4'"),
        (["--cores", "1,300"], "--cores are from 1 to 256 in a --topology of 1x256, not 300"),
        (["--join", "handshake", "--tiers", "codes"], "the joins handshake have none of the tiers codes"),
        (["--windows", "0"], "--windows must last more than 0 and at most 86400 seconds"),
        (["--seed", "-1"], "--seed must be from 0"),
    ],
)
def test_what_cannot_be_simulated_is_one_sentence(call: Call, words: list[str], why: str) -> None:
    called = call("simulate", "join", *words)
    assert called.code == 2
    assert why in called.err


def test_what_is_simulated_is_called_so(call: Call) -> None:
    called = call(
        "simulate", "join", "--tiers", "codes", "--cores", "1,3", "--most-tuples", 500, "--latency", "--json", "-"
    )
    assert (called.code, called.err) == (0, "")
    told = json.loads(called.out)
    assert told["simulated"] is True
    assert told["topology_is"] == "assumed"
    assert [(row["measure"], row["simulated"], row["threads"]) for row in told["rows"]] == [
        (f"simulated {measure}", True, cores) for cores in (1, 3) for measure in ("throughput", "latency")
    ]
    called = call("simulate", "join", "--tiers", "index", "--cores", 2, "--most-tuples", 500, "--topology", "1x2")
    assert called.code == 0
    assert "simulated, not measured; topology 1x2 (given)" in called.out
