"""`run --approximate` tells bounds and recall, and ends with 1 where a bound is not true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import Call

from streambench.lab.answers import oracle


def test_the_answer_has_intervals_and_the_summary_says_what_is_in_it(call: Call, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    called = call("run", "q1", "--data", data, "--approximate", 1e-3, "--out", out)
    assert called.code == 0, called.err
    lines = {" ".join(line.split()) for line in called.out.splitlines()}
    assert "approximate to 0.001, 3 pairs by 16,000 counters: no count is off by more than 0" in lines
    assert "against SQL recall 1, precision 1; 3 rows guaranteed, the greatest error is 0" in lines
    assert pq.read_schema(out).names == ["hour", "item_a", "item_b", "n", "lower", "guaranteed"]
    assert pq.read_table(out)["guaranteed"].to_pylist() == [True] * 3
    told = json.loads(call("run", "q1", "--data", data, "--approximate", 1, "--json", "-", "--no-check").out)
    assert told["approximation"] == {"epsilon": 1, "counters": 16, "n": 3, "error_bound": 1}


def test_a_count_out_of_its_interval_ends_with_1(call: Call, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = oracle.true_counts

    def one_more(*args: Any, **options: Any) -> tuple[pa.Table, int]:
        table, n = true(*args, **options)
        return table.set_column(2, "n", pa.array([each + 1 for each in table["n"].to_pylist()])), n

    monkeypatch.setattr(oracle, "true_counts", one_more)
    called = call("run", "q2", "--data", data, "--approximate", 1e-3, "--out", "none.parquet")
    assert called.code == 1
    said = "(item_a 0, item_b 1) occurs 2 times, but q2 says 1 to 1 times. No file was written."
    assert called.err.strip() == f"streambench: The run is wrong: {said}"
    assert not Path("none.parquet").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["q2", "--approximate", 0],
            "an approximation is to a share of all pairs from 1e-06 to 1, such as 1e-4, not 0.",
        ),
        (
            ["q2", "--approximate", "nan"],
            "an approximation is to a share of all pairs from 1e-06 to 1, such as 1e-4, not",
        ),
        (["q15", "--approximate", 1e-3], "q15 cannot be approximated: q1 and q2 can."),
        (["a:b", "--approximate", 1e-3], "--approximate belongs to queries, and a:b is an own pipeline: leave it out."),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(call: Call, data: Path, words: list[Any], sentence: str) -> None:
    called = call("run", *words, "--data", data)
    assert (called.code, called.out) == (2, "")
    assert called.error.startswith(f"streambench: {sentence}")
