"""Laps on the command line: those that do not fit, what is said of them, and queries named in any case."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hand_made import Call

SNOWFLAKE = 19 * 10**17


@pytest.fixture
def huge(data: Path) -> Path:
    """Order and ticket numbers of 1.9e18 and a few."""
    for table, column in (("web_clickstreams", "wcs_sales_sk"), ("store_sales", "ss_ticket_number")):
        for file in (data / table).glob("*.parquet"):
            rows = pq.read_table(file)
            numbers = pc.add(rows.column(column).cast(pa.int64()), SNOWFLAKE)
            pq.write_table(rows.set_column(rows.column_names.index(column), column, numbers), file)
    return data


@pytest.mark.parametrize(("query", "column"), [("q1", "ss_ticket_number"), ("q3", "wcs_sales_sk")])
def test_laps_that_do_not_fit_are_refused_in_one_sentence_that_says_how_many_do(
    call: Call, huge: Path, tmp_path: Path, query: str, column: str
) -> None:
    out = tmp_path / "run.json"
    called = call("run", query, "--data", huge, "--laps", 8, "--quiet", "--json", out)
    assert called.code == 2
    assert called.error.startswith(
        f"streambench: 8 laps do not fit, 4 do: column {column} rises by 1,900,000,000,000,000,0"
    )
    assert not out.exists()
    assert call("run", query, "--data", huge, "--laps", 4, "--quiet", "--json", out).code == 0
    result = json.loads(out.read_text())
    assert (result["sequence_ok"], result["answer_ok"]) == (True, True)
    assert sum(each["laps"] for each in result["lap_counts"]["by_lap"]) == 4


@pytest.mark.slow
@pytest.mark.parametrize("query", ["Q1", "Q2", "q3", "Q4", "Q15"])
def test_a_query_may_be_named_in_any_case(call: Call, data: Path, query: str) -> None:
    called = call("run", query, "--data", data)
    assert called.code == 0, called.err
    assert f"query              {query.lower()}, " in called.out
    assert call("bench", "sweep", "--queries", query, "--dry-run").code == 0
    assert call("bench", "sweep", "--preset", "quick", "--queries", query, "--dry-run").code == 0


def test_verify_takes_names_in_any_case(call: Call, data: Path) -> None:
    called = call("verify", "Q15", "--data", data, "--engines", "serial", "--units", "5", "--parameters", "paper")
    assert called.code == 0, called.err
    assert "q15" in called.out
