"""A result of the gate's proof is read, counted and put beside the others like any result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made_up_sweep
import pytest

import streambench
import streambench.lab
from streambench.errors import StreambenchError
from streambench.lab.compare.comparison import compare
from streambench.lab.record import results
from streambench.lab.record.gate_summary import PROOF as KIND
from streambench.lab.report.named_document import read
from streambench.lab.report.page import sections


def gate(case: str, code: int, expected: list[int], neighbour: bool = False) -> dict[str, Any]:
    return {
        **{"case": case, "neighbour": neighbour, "expected": expected, "exit_code": code},
        **{"verified": code in expected, "budget_seconds": 60.0, "seconds": 70.0, "load": 0.5, "verdicts": []},
    }


RUNS = [gate("slower", 2, [1]), gate("same", 0, [0, 2]), gate("same", 2, [0, 2]), gate("same", 0, [0, 2], True)]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return results.write(results.document(KIND, {}, RUNS, made_up_sweep.machine(2), []), tmp_path)


def test_a_row_counts_how_gates_of_a_case_ended(written: Path) -> None:
    rows = [
        (row["case"], row["neighbour"], row["right"], row["gates"], row["exit_codes"])
        for row in results.read(written)["summary"]
    ]
    assert rows == [
        ("slower", False, 0, 1, {"2": 1}),
        ("same", False, 2, 2, {"0": 1, "2": 1}),
        ("same", True, 1, 1, {"0": 1}),
    ]


def test_a_frame_and_a_page_have_a_row_for_each_gate_and_nothing_is_compared(written: Path) -> None:
    frame = streambench.lab.load_results(written)
    assert frame["exit_code"].tolist() == [2, 0, 2, 0]
    assert frame["verified"].tolist() == [False, True, True, True]
    shown = {each.name: each for each in sections(read([written]))}
    assert "3 of 4 gates ended as they should" in str(shown["summary"])
    assert "Runs of gate-proof" in str(shown["others"])
    with pytest.raises(StreambenchError, match="results of the kind gate-proof are not compared"):
        compare(results.read(written), results.read(written))
