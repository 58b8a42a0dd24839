"""A file is read as it was written: quotes, line ends, encodings, compression, odd headers."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from streambench.datagen.ingest.mapping import ColumnMapping
from streambench.datagen.ingest.source import Source


def read(path: Path, **options: Any) -> tuple[tuple[str, ...], list[tuple[str | None, ...]]]:
    """The columns' names and the rows in the order of their places; no line may be found unfit."""
    source = Source.open(path, ColumnMapping(**options))
    found: list[tuple[str | None, ...]] = []
    for piece in source.pieces():
        for rows in source.read(piece, source.columns):
            assert rows.unfit.null_count == len(rows)
            found += zip(*(column.to_pylist() for column in rows.columns.columns), strict=True)
    return source.columns, found


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
        ("a.csv.gz", gzip.compress(b"A,B\n1,2\n", mtime=0), {}, ("A", "B"), [("1", "2")]),
        ("export", b"A,B\n1,2\n", {}, ("A", "B"), [("1", "2")]),
    ],
)
def test_csv(
    tmp_path: Path,
    name: str,
    content: bytes,
    options: dict[str, Any],
    columns: tuple[str, ...],
    rows: list[tuple[str | None, ...]],
) -> None:
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name, **options) == (columns, rows)


def test_a_folder_is_read_in_the_order_of_names_without_hidden_files(tmp_path: Path) -> None:
    for name, value in (("b.csv", 2), ("a.csv", 1), ("year=2020/c.csv", 3), ("_tmp/d.csv", 4), (".e.csv", 5)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"A\n{value}\n")
    (tmp_path / "f.csv").touch()  # of no bytes: no rows
    assert read(tmp_path) == (("A",), [("1",), ("2",), ("3",)])


def test_the_line_of_a_row_counts_line_breaks_within_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('A,B\n"two\nlines",1\nx,\n')
    source = Source.open(tmp_path / "a.csv", ColumnMapping(multiline=True))
    (rows,) = source.read(source.pieces()[0], ())
    places = [source.place_of(rows.file, place) for place in rows.places.to_pylist()]
    assert places == ["line 2 of a.csv", "line 4 of a.csv"]
