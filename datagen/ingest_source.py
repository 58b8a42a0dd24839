"""A user's CSV or Parquet, one file or a folder, as a Spark frame of its columns and each row's place in its file."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest_mapping import ColumnMapping

# Columns that travel with a row beside the user's: the file, where in it, and a CSV line that does not fit the header.
FILE, BLOCK, ROW, UNFIT = "__sb_file", "__sb_block", "__sb_row", "__sb_unfit"
PLACE = (FILE, BLOCK, ROW)

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET_SUFFIXES = (".parquet", ".pq", ".parq")

_LONGEST_LIST = 400

# Python's name of an encoding to Java's.
ENCODINGS = {"utf-8": "UTF-8", "iso8859-1": "ISO-8859-1", "cp1252": "windows-1252", "ascii": "US-ASCII"}


@dataclass(frozen=True)
class Source:
    """Files of one kind and one set of columns.

    `kind` is csv or parquet, `columns` the columns' names in order, `nanoseconds` the Parquet columns that hold
    timestamps in nanoseconds, which Spark reads as plain integers; the rest says how a CSV file is written.
    """

    files: tuple[Path, ...]
    kind: str
    columns: tuple[str, ...]
    nanoseconds: frozenset[str] = frozenset()
    delimiter: str = ","
    header: bool = True
    encoding: str = "utf-8"
    multiline: bool = False

    @classmethod
    def open(cls, path: str | Path, mapping: ColumnMapping) -> Source:
        """Find the files and read their columns' names.

        DatagenError for a path that is missing or holds nothing to read, mixes CSV and Parquet, for files whose columns
        differ, and for a column's name that is there twice.
        """
        files, kind = _files(Path(path))
        if kind == "parquet":
            return _open_parquet(files)
        delimiter = (mapping.delimiter or ("\t" if ".tsv" in files[0].name.lower() else ",")).replace("\\t", "\t")
        if len(delimiter) != 1:
            raise DatagenError(f"The delimiter must be one character, not {delimiter!r}.")
        source = cls(
            files,
            "csv",
            (),
            delimiter=delimiter,
            header=mapping.header is not False,
            encoding=_encoding(mapping.encoding or "utf-8"),
            multiline=bool(mapping.multiline),
        )
        first = _names(source, files[0])
        for file in files[1:]:
            names = _names(source, file)
            if names != first:
                raise DatagenError(
                    f"{file} has other columns ({listed(names)}) than {files[0].name} ({listed(first)}): "
                    "ingest files of one kind at a time."
                )
        _no_twins(files[0], first)
        return replace(source, columns=tuple(first))

    def frame(self, spark: SparkSession) -> DataFrame:
        """The rows with the user's columns (CSV: all texts) and the columns of `PLACE` and `UNFIT`."""
        paths = [for_reading(file) for file in self.files]
        if self.kind == "parquet":
            # Without this Spark cannot read pandas' nanoseconds at all; `nanoseconds` says which columns they are.
            spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
            frame = spark.read.parquet(*paths).withColumn(UNFIT, F.lit(None).cast("string"))
            row = F.col("_metadata.row_index")
        else:
            spark.conf.set("spark.sql.legacy.javaCharsets", "true")  # windows-1252 is not on Spark's short list
            text = StringType()
            schema = StructType([StructField(name, text) for name in (*self.columns, UNFIT)])
            frame = (
                spark.read.schema(schema)
                .option("header", self.header)
                .option("sep", self.delimiter)
                .option("encoding", ENCODINGS[self.encoding])
                .option("multiLine", self.multiline)
                .option("escape", '"')  # as RFC 4180 has it: a quote within quotes is doubled
                .option("mode", "PERMISSIVE")
                .option("columnNameOfCorruptRecord", UNFIT)
                .option("columnPruning", False)  # with pruning a line of the wrong length goes unnoticed
                .csv(paths)
            )
            row = F.monotonically_increasing_id()
        return frame.select(
            *[F.col(quoted(name)) for name in (*self.columns, UNFIT)],
            F.col("_metadata.file_path").alias(FILE),
            F.col("_metadata.file_block_start").alias(BLOCK),
            row.alias(ROW),
        )

    def line_of(self, file_name: str, cells: list[str | None], unfit: str | None = None) -> int | None:
        """The line (from 1) of the first row of a CSV file that holds these cells; None where it cannot be told.

        `unfit` is the text of a line that could not be split into cells; it is then looked for as it stands.
        """
        file = next((file for file in self.files if file.name == file_name), None)
        if file is None or self.kind != "csv":
            return None
        wanted = [cell or "" for cell in cells]
        with _text(file, self.encoding) as lines:
            if unfit is not None:
                return next((n for n, line in enumerate(lines, 1) if line.rstrip("\r\n") == unfit), None)
            rows = csv.reader(lines, delimiter=self.delimiter)
            before = 0
            for number, row in enumerate(rows):
                padded = [*row, *[""] * (len(wanted) - len(row))][: len(wanted)]
                if padded == wanted and not (number == 0 and self.header):
                    return before + 1
                before = rows.line_num
        return None


def listed(names: Iterable[str]) -> str:
    """Columns' names for a message: no control characters, and not without end."""
    text = ", ".join(name if name.isprintable() else ascii(name) for name in names)
    return text if len(text) <= _LONGEST_LIST else text[:_LONGEST_LIST] + "…"


def quoted(name: str) -> str:
    """A column's name as Spark takes it literally, whatever characters it holds."""
    return "`" + name.replace("`", "``") + "`"


def for_reading(path: Path) -> str:
    """A path as Spark's readers take it: their pattern characters stand for themselves."""
    return "file://" + re.sub(r"([\\\[\]{}*?])", r"\\\1", str(path.resolve()))


def for_writing(path: Path) -> str:
    """A path as Spark's writers take it: not percent-encoded, which they would take literally."""
    return f"file://{path.resolve()}"


def _files(path: Path) -> tuple[tuple[Path, ...], str]:
    if not path.exists():
        raise DatagenError(f"There is no file or folder {path}: check the path.")
    if path.is_file():
        kind = _kind(path)
        if kind is None:
            # A file given by name is taken as what it is: Parquet says so in its first bytes, the rest is read as CSV.
            with path.open("rb") as file:
                kind = "parquet" if file.read(4) == b"PAR1" else "csv"
        if path.stat().st_size == 0:
            raise DatagenError(f"{path} is empty: there is nothing to ingest.")
        return (path,), kind
    files = sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and _kind(file) and not any(p.startswith((".", "_")) for p in file.relative_to(path).parts)
    )
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise DatagenError(f"Folder {path} mixes CSV and Parquet files: ingest files of one kind at a time.")
    files = [file for file in files if file.stat().st_size]
    if not files:
        raise DatagenError(
            f"Folder {path} holds no CSV or Parquet file with anything in it: there is nothing to ingest."
        )
    return tuple(files), str(kinds.pop())


def _kind(file: Path) -> str | None:
    name = file.name.lower()
    if name.endswith(CSV_SUFFIXES):
        return "csv"
    return "parquet" if name.endswith(PARQUET_SUFFIXES) else None


def _open_parquet(files: tuple[Path, ...]) -> Source:
    first: pa.Schema | None = None
    for file in files:
        try:
            schema = pq.read_schema(file)
        except (OSError, pa.ArrowException):
            raise DatagenError(f"{file} is not a readable Parquet file: replace it or leave it out.") from None
        if first is None:
            first = schema
        elif not schema.equals(first):
            differs = sorted(set(schema) ^ set(first), key=str) or ["the order of the columns"]
            raise DatagenError(
                f"{file} has other columns or types than {files[0].name} ({differs[0]}): "
                "ingest files of one kind at a time."
            )
    assert first is not None
    _no_twins(files[0], first.names)
    nanoseconds = frozenset(f.name for f in first if pa.types.is_timestamp(f.type) and f.type.unit == "ns")
    return Source(files, "parquet", tuple(first.names), nanoseconds)


def _text(file: Path, encoding: str) -> TextIO:
    # utf-8-sig drops the byte-order mark that spreadsheets write, as Spark does.
    name = "utf-8-sig" if encoding == "utf-8" else encoding
    if file.name.lower().endswith(".gz"):
        return cast(TextIO, gzip.open(file, "rt", encoding=name, errors="replace", newline=""))
    return file.open(encoding=name, errors="replace", newline="")


def _encoding(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except LookupError:
        found = ""
    if found not in ENCODINGS:
        raise DatagenError(f"Encoding {name!r} is not one that ingest reads: use utf-8, latin1, cp1252 or ascii.")
    return found


def _names(source: Source, file: Path) -> list[str]:
    try:
        with _text(file, source.encoding) as lines:
            row = next((row for row in csv.reader(lines, delimiter=source.delimiter) if row), None)
    except (OSError, EOFError, csv.Error) as problem:
        raise DatagenError(f"{file} cannot be read as CSV ({problem}): check the file and --encoding.") from None
    if not row:
        raise DatagenError(f"{file} does not begin with a line of CSV: there is nothing to ingest.")
    if not source.header:
        return [f"_c{index}" for index in range(len(row))]
    return [name or f"_c{index}" for index, name in enumerate(row)]  # pandas leaves its index' name blank


def _no_twins(file: Path, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise DatagenError(
                f"{file} has two columns named {name!r} (upper and lower case do not tell them apart): rename one."
            )
        seen.add(name.lower())
        if name.startswith("__sb_"):
            raise DatagenError(f"{file} has a column {name!r}, a name that ingest needs for itself: rename it.")
