"""A file is read as it was written: quotes, line ends, encodings, compression, odd headers."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import ingested
import pytest

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest_mapping import ColumnMapping
from streambench.datagen.ingest_source import PLACE, UNFIT, Source

one_spark = ingested.one_spark


def read(spark: Any, path: Path, **options: Any) -> tuple[tuple[str, ...], list[tuple[str | None, ...]]]:
    """The columns' names and the rows in the order of their places; no line may be found unfit."""
    source = Source.open(path, ColumnMapping(**options))
    found = source.frame(spark).orderBy(*PLACE).collect()
    assert [row[UNFIT] for row in found] == [None] * len(found)
    return source.columns, [tuple(row[name] for name in source.columns) for row in found]


@pytest.mark.parametrize(
    ("name", "content", "options", "columns", "rows"),
    [
        ("a.csv", b'A,B\r\n"x, ""y""",2\r\n\r\n z ,\r\n', {}, ("A", "B"), [('x, "y"', "2"), (" z ", None)]),
        ("a.csv", b"\xef\xbb\xbfA,B\n1,2", {}, ("A", "B"), [("1", "2")]),
        ("a.csv", b",a.b,`c`\n0,1,2\n", {}, ("_c0", "a.b", "`c`"), [("0", "1", "2")]),
        ("a.tsv", b"A\tB\n1\t2,3\n", {}, ("A", "B"), [("1", "2,3")]),
        ("a.csv", b"A|B\n1|2\n", {"delimiter": "|"}, ("A", "B"), [("1", "2")]),
        ("a.txt", b"1;2\n3;4\n", {"delimiter": ";", "header": False}, ("_c0", "_c1"), [("1", "2"), ("3", "4")]),
        ("a.csv", b'A,B\n"two\nlines",1\n', {"multiline": True}, ("A", "B"), [("two\nlines", "1")]),
        ("a.csv", "Ä,B\nCafé €,1\n".encode("cp1252"), {"encoding": "cp1252"}, ("Ä", "B"), [("Café €", "1")]),
        ("a.csv.gz", gzip.compress(b"A,B\n1,2\n"), {}, ("A", "B"), [("1", "2")]),
        ("export", b"A,B\n1,2\n", {}, ("A", "B"), [("1", "2")]),
    ],
)
def test_csv(
    one_spark: Any,
    tmp_path: Path,
    name: str,
    content: bytes,
    options: dict[str, Any],
    columns: tuple[str, ...],
    rows: list[tuple[str | None, ...]],
) -> None:
    (tmp_path / name).write_bytes(content)
    assert read(one_spark, tmp_path / name, **options) == (columns, rows)


def test_a_folder_is_read_in_the_order_of_names_without_hidden_files(one_spark: Any, tmp_path: Path) -> None:
    for name, value in (("b.csv", 2), ("a.csv", 1), ("year=2020/c.csv", 3), ("_tmp/d.csv", 4), (".e.csv", 5)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"A\n{value}\n")
    assert read(one_spark, tmp_path) == (("A",), [("1",), ("2",), ("3",)])


def test_the_line_of_a_row_counts_line_breaks_within_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('A,B\n"two\nlines",1\nx,\n')
    source = Source.open(tmp_path / "a.csv", ColumnMapping())
    assert source.line_of("a.csv", ["two\nlines", "1"]) == 2
    assert source.line_of("a.csv", ["x", None]) == 4
    assert source.line_of("a.csv", ["A", "B"]) is None
    assert source.line_of("b.csv", ["x", None]) is None


def test_a_name_that_ingest_needs_for_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("__sb_file,B\n")
    with pytest.raises(DatagenError, match="'__sb_file', a name that ingest needs"):
        Source.open(tmp_path / "a.csv", ColumnMapping())
