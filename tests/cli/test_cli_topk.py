"""`topk`: intervals hold what DuckDB counts, and nothing that occurs often is missed, whoever counts."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import duckdb
import item_streams
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import Call

from streambench.lab.cli import topk
from streambench.pyx.topk.designs import DESIGNS

EPSILON = 0.002
NAMES = ["item", "estimate", "lower", "upper", "guaranteed"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a skewed stream of huge ids, and of texts with nulls, in two files and a folder."""
    monkeypatch.chdir(tmp_path)
    ids = item_streams.zipf(40_000, 1.1, 20_000)
    ids[ids == item_streams.scattered(1)] = 2**64 - 1
    ranks = (ids % np.uint64(3000)).astype(np.int64)
    texts = pa.array([f"é {rank}" for rank in ranks], mask=ranks % 7 == 3)
    table = pa.table({"id": ids, "text": texts, "small": pa.array(ranks - 1500, pa.int16())})
    pq.write_table(table.slice(0, 9_000), "a.parquet", row_group_size=2_500)
    pq.write_table(table.slice(9_000, 1_000), "b.parquet")
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    pq.write_table(table.slice(10_000), "folder/inner/c.parquet", row_group_size=7_000)
    pq.write_table(table.slice(0, 0), "folder/empty.parquet")
    return tmp_path


def exact(column: str) -> dict[Any, int]:
    found = duckdb.sql(
        f"SELECT {column}, count(*) FROM read_parquet(['a.parquet', 'b.parquet', 'folder/**/*.parquet']) "
        f"WHERE {column} IS NOT NULL GROUP BY 1"
    )
    return dict(found.fetchall())


def counted(call: Call, *words: Any, column: str) -> tuple[pa.Table, dict[str, Any]]:
    places = ("a.parquet,b.parquet", "folder", "--column", column, "--epsilon", EPSILON)
    called = call("topk", *places, *words, "--out", "o.parquet", "--json", "-", "--quiet")
    assert called.code == 0, called.err
    return pq.read_table("o.parquet"), json.loads(called.out)


def require_bounds(rows: pa.Table, told: dict[str, Any], true: dict[Any, int]) -> None:
    n = sum(true.values())
    assert (told["n"], told["rows"]) == (n, len(rows))
    assert told["error_bound"] <= (1 if told["threads"] == 1 else 1.1) * EPSILON * n
    for item, estimate, lower, upper, _ in zip(*(each.to_pylist() for each in rows.columns), strict=True):
        assert lower <= true[item] <= upper, item
        assert lower <= estimate <= upper <= lower + told["error_bound"]
    items, estimates = rows["item"].to_pylist(), rows["estimate"].to_pylist()
    assert items == [item for _, item in sorted(zip((-each for each in estimates), items, strict=True))]


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_hold_the_counts_and_what_is_frequent_is_there(call: Call, design: str) -> None:
    true = exact("id")
    most = 1 if design in topk.ONE_THREAD else 3
    for threads in {1, most}:
        rows, told = counted(call, "--phi", 0.003, "--design", design, "--workers", threads, column="id")
        require_bounds(rows, told, true)
        assert (told["design"], told["threads"], rows.schema.field("item").type) == (design, threads, pa.uint64())
        often = {item for item, n in true.items() if n > 0.003 * told["n"]}
        assert 2**64 - 1 in often
        assert often <= set(rows["item"].to_pylist())
        sure = rows.filter(rows["guaranteed"])["item"].to_pylist()
        assert set(sure) <= often
        assert len(sure) == told["guaranteed"] > 5
        assert len(told["worker_cpu_seconds"]) == threads
        assert sum(told["worker_shares"]) == pytest.approx(1)
        assert told["cpu_seconds_per_million"] == pytest.approx(told["cpu_seconds"] / (told["n"] + told["nulls"]) * 1e6)
        assert told["peak_memory_bytes"] >= told["memory_before_bytes"] > 1 << 20
        assert told["complete"]


@pytest.mark.parametrize(("column", "type"), [("text", pa.string()), ("small", pa.int16())])
def test_the_top_has_the_columns_own_type_and_is_guaranteed_where_it_is_certain(
    call: Call, column: str, type: pa.DataType
) -> None:
    true = exact(column)
    rows, told = counted(call, "--k", 150, "--design", "sequential", column=column)
    require_bounds(rows, told, true)
    assert rows.column_names == NAMES
    assert rows.schema.field("item").type == type
    assert told["nulls"] == 40_000 - sum(true.values())
    assert told["type"] == str(type)
    least = sorted(true.values(), reverse=True)[149]
    assert len(rows) == 150
    assert all(true[item] >= least for item in rows.filter(rows["guaranteed"])["item"].to_pylist())
    assert 5 < told["guaranteed"] < 150


def test_without_k_and_phi_there_are_100_rows_and_the_summary_says_how_exact_they_are(call: Call) -> None:
    called = call("topk", "a.parquet", "--column", "text", "--design", "sequential")
    assert called.code == 0, called.err
    lines = {" ".join(line.split()) for line in called.out.splitlines()}
    n, nulls = duckdb.sql("SELECT count(text), count(*) - count(text) FROM 'a.parquet'").fetchall()[0]
    assert f"column text (string): {n:,} items, and {nulls:,} nulls" in lines
    assert "design sequential, 1 thread, 10,000 counters" in lines
    assert "error no estimate is off by more than 0, 0 of all; 100 of 100 rows guaranteed" in lines
    assert "most often: 100 rows, the first 10" in lines


@pytest.mark.parametrize(
    "array",
    [
        pa.array([], pa.string()),
        pa.nulls(3, pa.int64()),
        pa.nulls(3),
        pa.array(["b", "a", "b"]).dictionary_encode(),
        pa.array(["b", "a", "b"], pa.string_view()),
        pa.array([1.5, 0.0, -0.0], pa.float16()),
        pa.array([True, None, True]),
        pa.array([datetime.date(2026, 1, 1)] * 2),
        pa.array([10**9], pa.timestamp("ns", "UTC")),
        pa.array([b"\xff", b""]),
    ],
    ids=lambda array: f"{len(array)} {array.type}",
)
def test_what_can_be_counted_comes_back_as_it_was(call: Call, array: pa.Array) -> None:
    pq.write_table(pa.table({"x.y": array}), "x.parquet")
    called = call("topk", "x.parquet", "--column", "x.y", "--workers", 2, "--out", "o.parquet")
    assert called.code == 0, called.err
    rows = pq.read_table("o.parquet")
    plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    assert rows.schema.field("item").type == plain.type
    true = [each for each in plain.to_pylist() if each is not None]
    assert rows["item"].to_pylist() == sorted(set(true), key=lambda item: (-true.count(item), item))
    assert rows["lower"].to_pylist() == sorted((true.count(item) for item in set(true)), reverse=True)


GOOD = ["a.parquet", "--column", "id"]


@pytest.mark.parametrize(
    ("code", "words", "sentence"),
    [
        (
            1,
            ["none.parquet", "--column", "id"],
            "none.parquet cannot be read as Parquet (No such file or directory): na",
        ),
        (1, ["a.parquet", "--column", "x"], "a.parquet has no column 'x'; it has id, text, small."),
        (
            1,
            ["lists.parquet", "--column", "id"],
            "column id holds list<element: int64>, which cannot be counted: name one",
        ),
        (
            1,
            ["a.parquet", "lists.parquet", "--column", "id"],
            "column id is uint64 in a.parquet, but list<element: int64>",
        ),
        (
            1,
            ["a.parquet", ".", "--column", "id"],
            "a.parquet is named twice, and would be counted twice: name it once.",
        ),
        (1, ["cut.parquet", "--column", "id"], "cut.parquet cannot be read as Parquet ("),
        (1, [*GOOD, "--out", "none/o.parquet"], "--out none/o.parquet has no folder "),
        (1, [*GOOD, "--out", "a.parquet"], "--out a.parquet is one of the files to be counted: choose another place."),
        (2, ["--column", "id"], "missing argument 'FILE...': see `streambench topk --help`."),
        (2, ["a.parquet"], "missing option '--column': see `streambench topk --help`."),
        (2, [*GOOD, "--epsilon", 0], "--epsilon must be above 0 and at most 1, not 0."),
        (2, [*GOOD, "--epsilon", "nan"], "--epsilon must be above 0 and at most 1, not nan."),
        (
            2,
            [*GOOD, "--epsilon", 1e-15],
            "--epsilon 1e-15 takes 1,000,000,000,000,000 counters, over 59604644.8 GiB of",
        ),
        (2, [*GOOD, "--k", 0], "--k must be at least 1, not 0."),
        (2, [*GOOD, "--k", 10_001], "--k 10001 is more than the 10,000 counters of --epsilon 0.0001: choose a smaller"),
        (2, [*GOOD, "--phi", 1], "--phi must be above 0 and below 1, not 1."),
        (
            2,
            [*GOOD, "--phi", 1e-5],
            "--phi 1e-05 is below --epsilon 0.0001, by which counts may be off: choose a smaller",
        ),
        (2, [*GOOD, "--phi", 0.1, "--k", 3], "--k and --phi ask for different rows: leave one out."),
        (2, [*GOOD, "--workers", 0], "--workers must be at least 1, not 0."),
        (2, [*GOOD, "--workers", 1025], "--workers must be at most 1024, not 1025."),
        (2, [*GOOD, "--workers", 2, "--design", "sequential"], "--design sequential is for one thread, not 2: choose"),
        (2, [*GOOD, "--design", "exact"], "invalid value for '--design': 'exact' is not one of"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    call: Call, here: Path, code: int, words: list[Any], sentence: str
) -> None:
    if "lists.parquet" in words:
        pq.write_table(pa.table({"id": [[1], [2]]}), "lists.parquet")
    if "cut.parquet" in words:
        Path("cut.parquet").write_bytes(Path("a.parquet").read_bytes()[:-1000])
    before = {each: each.read_bytes() for each in here.rglob("*.parquet")}
    called = call("topk", *words)
    assert (called.code, called.out) == (code, "")
    assert called.error.startswith(f"streambench: {sentence}"), called.error
    assert {each: each.read_bytes() for each in here.rglob("*.parquet")} == before


def test_a_file_that_breaks_midway_leaves_no_output(call: Call) -> None:
    whole = bytearray(Path("folder/inner/c.parquet").read_bytes())
    last = pq.read_metadata("folder/inner/c.parquet").row_group(4).column(0).dictionary_page_offset
    whole[last : last + 2_000] = b"\xff" * 2_000
    Path("broken.parquet").write_bytes(whole)
    called = call("topk", "broken.parquet", "--column", "id", "--workers", 2, "--out", "o.parquet")
    assert called.code == 1
    assert called.error.startswith("streambench: broken.parquet cannot be read as Parquet (")
    assert not Path("o.parquet").exists()
