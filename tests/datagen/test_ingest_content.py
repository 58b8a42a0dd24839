"""A file that is named CSV and is something else is refused by its content, in one sentence that says what it is."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import sqlite3
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.mapping import ColumnMapping
from streambench.datagen.ingest.source import Source

TEXT = "Date,Time,Transaction,Item\n" + "2016-10-30,09:58:11,1,Bread\n" * 100


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"Item": ["a"]}), out)
    return out.getvalue()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return out.getvalue()


def database() -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE sales (item)")
        return connection.serialize()


CONTENTS = [
    (parquet(), "a Parquet file"),
    (gzip.compress(TEXT.encode(), mtime=0), "compressed by gzip"),
    (bz2.compress(TEXT.encode()), "compressed by bzip2"),
    (lzma.compress(TEXT.encode()), "compressed by xz"),
    (zipped(), "a ZIP archive or an Excel workbook"),
    (database(), "an SQLite database"),
    (b"%PDF-1.7\n1 0 obj\n", "a PDF"),
    (TEXT.encode("utf-16"), "in UTF-16"),
    (TEXT.encode("utf-16-be"), "in UTF-16"),
    (TEXT.encode("utf-16-le"), "in UTF-16"),
    (b'{"Date": "2016-10-30", "Item": "Bread"}\n', "JSON"),
    (b'[\n  {"Date": "2016-10-30"}\n]', "JSON"),
    (b'["Date", "Item"]\n["2016-10-30", "Bread"]\n', "JSON"),
    (b"\xef\xbb\xbf{}", "JSON"),
    (b"<!DOCTYPE html><html><table>", "HTML or XML"),
    (b'<?xml version="1.0"?><rows/>', "HTML or XML"),
    (random.Random(1).randbytes(5000), "binary"),
    (bytes(range(1, 32)) * 10, "binary"),
    (TEXT.replace("\n", "\r").encode(), "written with carriage returns in place of line ends"),
]


@pytest.mark.parametrize(("content", "words"), CONTENTS, ids=[f"{n} {words}" for n, (_, words) in enumerate(CONTENTS)])
def test_what_is_no_csv_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    for name in ("sales.csv", "sales.txt", "sales.csv.gz"):
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        with pytest.raises(DatagenError) as refused:
            Source.open(tmp_path / name, ColumnMapping())
        told = str(refused.value)
        assert told.startswith(f"{tmp_path / name} is {words}")
        assert "not CSV: " in told
        assert len(told.splitlines()) == 1


def test_one_file_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(TEXT)
    (tmp_path / "2.csv").write_bytes(zipped())
    with pytest.raises(DatagenError, match=r"2\.csv is a ZIP archive"):
        Source.open(tmp_path, ColumnMapping())


def test_a_gz_that_is_none_or_is_cut_short_is_named(tmp_path: Path) -> None:
    file = tmp_path / "sales.csv.gz"
    file.write_text(TEXT)
    with pytest.raises(DatagenError, match=r"is not compressed by gzip: name it \.csv"):
        Source.open(file, ColumnMapping())
    file.write_bytes(gzip.compress(TEXT.encode())[:60])
    with pytest.raises(DatagenError, match=r"cut short"):
        Source.open(file, ColumnMapping())


def test_a_gz_that_is_cut_short_later_is_named(tmp_path: Path) -> None:
    draw = random.Random(1)
    lines = "".join(f"{draw.random()}\n" for _ in range(20_000))
    (tmp_path / "sales.csv.gz").write_bytes(gzip.compress(b"A\n" + lines.encode())[:-1000])
    source = Source.open(tmp_path / "sales.csv.gz", ColumnMapping())
    with pytest.raises(DatagenError, match=r"sales\.csv\.gz cannot be read to its end"):
        list(source.read(source.pieces()[0], ("A",)))


@pytest.mark.parametrize(
    ("content", "delimiter", "columns"),
    [
        (b"[id],{name}\n1,2\n", ",", ("[id]", "{name}")),
        (b"ORCHARD\n", ",", None),
        (b"a\x01b\n1\x012\n", "\x01", ("a", "b")),
        (b"<item>,kind\n1,2\n", ",", ("<item>", "kind")),
        ("Ä,B\n1,2\n".encode("cp1252"), ",", ("\ufffd", "B")),
        (b"", ",", None),
    ],
)
def test_what_is_csv_is_read_however_odd_its_names_are(
    tmp_path: Path, content: bytes, delimiter: str, columns: tuple[str, ...] | None
) -> None:
    (tmp_path / "sales.csv").write_bytes(content)
    if columns is None:
        columns = (content.decode().strip(),)
        if not content:
            with pytest.raises(DatagenError, match="is empty"):
                Source.open(tmp_path / "sales.csv", ColumnMapping())
            return
    assert Source.open(tmp_path / "sales.csv", ColumnMapping(delimiter=delimiter)).columns == columns
