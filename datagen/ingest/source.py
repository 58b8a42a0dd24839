"""A user's CSV or Parquet, one file or a folder: its columns, and its rows piece by piece, each with its place."""

from __future__ import annotations

import codecs
import csv
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from streambench.data_folder import PARQUET, data_files
from streambench.datagen.errors import DatagenError, DatagenOptionError
from streambench.datagen.ingest.content import check_text, is_parquet
from streambench.datagen.ingest.csv import Dialect, batches, line_at, records
from streambench.datagen.ingest.mapping import ColumnMapping
from streambench.errors import DataError
from streambench.parquet_file import open_parquet, read_metadata, read_schema

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
ENCODINGS = ("utf-8", "iso8859-1", "cp1252", "ascii")

_LONGEST_LIST = 400
_PIECE_BYTES = 32 << 20
_BATCH_ROWS = 65_536
_UNPACKED = 5  # about how many bytes one byte of .gz holds


@dataclass(frozen=True)
class Piece:
    """Part of a file, by its index: CSV lines that begin at the bytes `start` to `end`, or Parquet's row groups.

    `first_row` is the number, in a Parquet file, of the first row of the piece.
    """

    file: int
    start: int = 0
    end: int | None = None
    first_row: int = 0


@dataclass(frozen=True)
class Rows:
    """Some rows of one file: the columns asked for, each row's place in the file, and CSV lines that do not fit.

    A place is a line's first byte (unpacked) or a Parquet row's number, so it is the same however a file is cut.
    """

    file: int
    columns: pa.RecordBatch
    places: pa.Array
    unfit: pa.Array

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class Source:
    """Files of one kind and one set of columns: `types` has their names in order. CSV columns are all texts.

    `path` is what the user named, a file or a folder.
    """

    path: Path
    files: tuple[Path, ...]
    kind: str
    types: dict[str, pa.DataType]
    dialect: Dialect = field(default_factory=Dialect)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self.types)

    @classmethod
    def open(cls, path: str | Path, mapping: ColumnMapping) -> Source:
        """Find the files and read their columns' names.

        DatagenError for a path that is missing or holds nothing to read, mixes CSV and Parquet, for a file that is
        neither, for files whose columns differ, and for a column's name that is there twice.
        """
        files, kind = _files(Path(path))
        if kind == "parquet":
            return cls(Path(path), files, kind, _parquet_types(files))
        delimiter = (mapping.delimiter or ("\t" if ".tsv" in files[0].name.lower() else ",")).replace("\\t", "\t")
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise DatagenOptionError(
                f"The delimiter must be one character, no quote and no line end, not {delimiter!r}."
            )
        encoding = _encoding(mapping.encoding or "utf-8")
        dialect = Dialect(delimiter, mapping.header is not False, encoding, bool(mapping.multiline))
        first = _names(files[0], dialect)
        for file in files[1:]:
            names = _names(file, dialect)
            if names != first:
                raise DatagenError(
                    f"{file} has other columns ({listed(names)}) than {files[0].name} ({listed(first)}): "
                    "ingest files of one kind at a time."
                )
        _no_twins(files[0], first)
        return cls(Path(path), files, kind, dict.fromkeys(first, pa.string()), dialect)

    def size(self) -> int:
        """About how many bytes there are to read, unpacked."""
        if self.kind == "parquet":
            groups = ((meta, g) for meta in map(read_metadata, self.files) for g in range(meta.num_row_groups))
            return sum(int(meta.row_group(group).total_byte_size) for meta, group in groups)
        return sum(file.stat().st_size * (_UNPACKED if file.name.lower().endswith(".gz") else 1) for file in self.files)

    def pieces(self) -> list[Piece]:
        """All rows in order, cut into pieces that can be read on their own."""
        pieces: list[Piece] = []
        for index, file in enumerate(self.files):
            if self.kind == "parquet":
                pieces += _parquet_pieces(index, file)
            elif self.dialect.multiline or file.name.lower().endswith(".gz"):
                pieces.append(Piece(index))
            else:
                size = file.stat().st_size
                pieces += [
                    Piece(index, start, min(size, start + _PIECE_BYTES)) for start in range(0, size, _PIECE_BYTES)
                ]
        return pieces

    def read(self, piece: Piece, columns: Collection[str]) -> Iterator[Rows]:
        """The rows of a piece with these columns. DatagenError where the file cannot be read."""
        file = self.files[piece.file]
        try:
            if self.kind == "parquet":
                yield from _parquet_rows(file, piece, [name for name in self.columns if name in columns])
                return
            indices = [index for index, name in enumerate(self.columns) if name in columns]
            for batch, places, unfit in batches(file, self.dialect, self.columns, indices, piece.start, piece.end):
                yield Rows(piece.file, batch, places, unfit)
        except (OSError, EOFError, zlib.error, pa.ArrowException) as problem:
            raise DatagenError(f"{file} cannot be read to its end ({problem}): check the file.") from None

    def place_of(self, file: int, place: int) -> str:
        """A row's place in words."""
        name = self.files[file].name
        if self.kind == "parquet":
            return f"row {place} (from 0) of {name}"
        return f"line {line_at(self.files[file], place)} of {name}"


def listed(names: Iterable[str]) -> str:
    """Columns' names for a message: no control characters, and not without end."""
    text = ", ".join(name if name and name.isprintable() else ascii(name) for name in names) or "none"
    return text if len(text) <= _LONGEST_LIST else text[:_LONGEST_LIST] + "…"


def _files(path: Path) -> tuple[tuple[Path, ...], str]:
    if not path.exists():
        raise DatagenError(f"There is no file or folder {path}: check the path.")
    if path.is_file():
        # A file given by name is taken as what it is: Parquet says so in its first bytes, the rest is read as CSV.
        kind = _kind(path) or ("parquet" if is_parquet(path) else "csv")
        if path.stat().st_size == 0:
            raise DatagenError(f"{path} is empty: there is nothing to ingest.")
        return (path,), kind
    if not path.is_dir():
        raise DatagenError(f"{path} is a pipe or a device, which cannot be read twice: write its rows to a file first.")
    try:
        files = data_files(path, CSV_SUFFIXES + PARQUET)
    except DataError as problem:
        raise DatagenError(str(problem)) from None
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise DatagenError(f"Folder {path} mixes CSV and Parquet files: ingest files of one kind at a time.")
    files = [file for file in files if kinds == {"parquet"} or file.stat().st_size]
    if not files:
        raise DatagenError(
            f"Folder {path} holds no CSV or Parquet file with anything in it: there is nothing to ingest."
        )
    return tuple(files), str(kinds.pop())


def _kind(file: Path) -> str | None:
    name = file.name.lower()
    if name.endswith(CSV_SUFFIXES):
        return "csv"
    return "parquet" if name.endswith(PARQUET) else None


def _parquet_types(files: tuple[Path, ...]) -> dict[str, pa.DataType]:
    first: pa.Schema | None = None
    for file in files:
        try:
            schema = read_schema(file)
        except (OSError, pa.ArrowException):
            raise DatagenError(f"{file} is not a readable Parquet file: replace it or leave it out.") from None
        if first is None:
            first = schema
        elif not schema.equals(first):
            differs = sorted(f"{each.name!r} of type {each.type}" for each in set(schema) ^ set(first))
            raise DatagenError(
                f"{file} has other columns or types than {files[0].name} ({[*differs, 'their order'][0]}): "
                "ingest files of one kind at a time."
            )
    assert first is not None
    _no_twins(files[0], first.names)
    return {column.name: _plain(column.type) for column in first}


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type without its ways of being stored, such as pandas' categories."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return pa.string() if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) else kind


def _parquet_pieces(index: int, file: Path) -> list[Piece]:
    metadata, pieces, first_row, begun, size = read_metadata(file), [], 0, 0, 0
    row = 0
    for group in range(metadata.num_row_groups):
        described = metadata.row_group(group)
        row, size = row + described.num_rows, size + described.total_byte_size
        if size >= _PIECE_BYTES or group == metadata.num_row_groups - 1:
            pieces.append(Piece(index, begun, group + 1, first_row))
            begun, first_row, size = group + 1, row, 0
    return pieces


def _parquet_rows(file: Path, piece: Piece, columns: list[str]) -> Iterator[Rows]:
    row = piece.first_row
    with open_parquet(file) as opened:
        groups = list(range(piece.start, piece.end or 0))
        for batch in opened.iter_batches(_BATCH_ROWS, row_groups=groups, columns=columns):
            arrays = [column.cast(_plain(column.type)) for column in batch.columns]
            # A text that is empty means "no value", in Parquet as in CSV.
            arrays = [
                pc.if_else(pc.equal(array, ""), pa.scalar(None, array.type), array)
                if pa.types.is_string(array.type)
                else array
                for array in arrays
            ]
            places = pa.array(range(row, row + batch.num_rows), pa.int64())
            row += batch.num_rows
            plain = pa.RecordBatch.from_arrays(arrays, batch.schema.names)
            yield Rows(piece.file, plain, places, pa.nulls(batch.num_rows, pa.string()))


def _encoding(name: str) -> str:
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding not in ENCODINGS:
        raise DatagenOptionError(f"Encoding {name!r} is not one that ingest reads: use utf-8, latin1, cp1252 or ascii.")
    return encoding


def _names(file: Path, dialect: Dialect) -> list[str]:
    check_text(file, dialect.delimiter)
    try:
        first = next(records(file, dialect), None)
    except (OSError, EOFError, zlib.error, csv.Error) as problem:
        raise DatagenError(f"{file} cannot be read as CSV ({problem}): check the file and --encoding.") from None
    if first is None or first.cells is None:
        raise DatagenError(f"{file} does not begin with a line of CSV: there is nothing to ingest.")
    if not dialect.header:
        return [f"_c{index}" for index in range(len(first.cells))]
    return [name or f"_c{index}" for index, name in enumerate(first.cells)]  # pandas leaves its index' name blank


def _no_twins(file: Path, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise DatagenError(
                f"{file} has two columns named {name!r} (upper and lower case do not tell them apart): rename one."
            )
        seen.add(name.lower())
