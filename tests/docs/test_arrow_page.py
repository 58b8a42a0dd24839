"""The examples of the page on Arrow print what it says, and its function runs over a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streambench
import streambench.lab
from streambench.data.arrow_column import held_type

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "arrow.md").read_text()
FENCED = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PYTHON = [text for language, text in FENCED if language == "python"]
PRINTED = [text for language, text in FENCED if language == "text"]
OTHERS = ("duckdb", "pandas", "polars")


def test_the_page_begins_with_a_pipeline_that_prints_what_it_says(capfd: pytest.CaptureFixture[str]) -> None:
    exec(PYTHON[0], {})
    assert capfd.readouterr().out == PRINTED[0]


def test_a_feed_prints_what_it_says(capfd: pytest.CaptureFixture[str]) -> None:
    exec(PYTHON[0] + PYTHON[1], {})
    assert capfd.readouterr().out == PRINTED[0] + PRINTED[1]


def test_a_code_is_asked_for_before_the_run_as_it_says(capfd: pytest.CaptureFixture[str]) -> None:
    exec(PYTHON[0] + PYTHON[2], {})
    assert capfd.readouterr().out == PRINTED[0] + PRINTED[2]


def test_others_read_the_sink_as_it_says(capfd: pytest.CaptureFixture[str]) -> None:
    for each in OTHERS:
        pytest.importorskip(each)
    exec(PYTHON[0] + PYTHON[3], {})
    assert capfd.readouterr().out == PRINTED[0] + PRINTED[3]


def test_the_function_of_the_page_is_called_with_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page_visits.py").write_text("import streambench\n" + PYTHON[0] + PYTHON[4])
    pq.write_table(pa.table({"page": ["a", "b", "a"], "user": [1, 2, 3]}), "visits.parquet")
    result = streambench.lab.run("page_visits:build", data="visits.parquet", workers=2, keep_emitted=True)
    assert result.sequence_ok
    assert result.emitted.to_pydict() == {"page": ["a", "b", "a"], "user": [1, 2, 3], "visit": [1, 1, 2]}


@pytest.mark.parametrize(
    ("types", "held"),
    [
        (["date32", "time32('s')", "string", "large_string", "string_view", "binary", "binary_view"], "int32"),
        (["date64", "time64('us')", "timestamp('ns')", "duration('s')"], "int64"),
        (["dictionary(pa.int8(), pa.string())", "dictionary(pa.int8(), pa.int64())"], "int32"),
    ],
)
def test_the_pages_types_are_held_as_it_says(types: list[str], held: str) -> None:
    for each in types:
        type: Any = eval(f"pa.{each}" + ("" if each.endswith(")") else "()"))
        assert held_type(pa.field("a", type)) == pa.from_numpy_dtype(np.dtype(held))
        word = each.partition("(")[0]
        assert word in PAGE or word.replace("binary", "string") in PAGE
