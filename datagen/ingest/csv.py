"""Lines of CSV as Arrow batches of texts: as RFC 4180 has it, quotes around a value, doubled within."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

_BATCH_ROWS = 65_536
_UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str = ","
    header: bool = True
    encoding: str = "utf-8"
    multiline: bool = False


@dataclass(frozen=True)
class Record:
    """One line: where it begins (in bytes, unpacked), its text, and its values (None where they cannot be told)."""

    place: int
    text: str
    cells: list[str] | None


def opened(file: Path) -> BinaryIO:
    """The file's bytes, unpacked if its name ends in .gz."""
    return cast(BinaryIO, gzip.open(file)) if file.name.lower().endswith(".gz") else file.open("rb")


def records(file: Path, dialect: Dialect, start: int = 0, end: int | None = None) -> Iterator[Record]:
    """The records of the lines that begin at bytes `start` to `end`; blank lines are none, the header is one."""
    with opened(file) as stream:
        place = 0
        if start:  # a line that begins before is another's
            stream.seek(start - 1)
            place = start - 1 + len(stream.readline())
        lines = _lines(stream, dialect, place, end)
        yield from _joined(lines, dialect) if dialect.multiline else _single(lines, dialect)


def batches(
    file: Path, dialect: Dialect, names: Sequence[str], indices: Sequence[int], start: int = 0, end: int | None = None
) -> Iterator[tuple[pa.RecordBatch, pa.Array, pa.Array]]:
    """The `wanted` ones of the columns `names`: their texts (null where empty), each row's place, and unfit lines.

    A line that has more or fewer values than there are names, or quotes that do not match, is unfit: its text is in
    the third array, which is null for every other row, and its values are null.
    """
    rows = records(file, dialect, start, end)
    if dialect.header and start == 0:
        next(rows, None)
    empty = [""] * len(names)
    while chunk := list(itertools.islice(rows, _BATCH_ROWS)):
        fit = [row.cells is not None and len(row.cells) == len(names) for row in chunk]
        columns = list(zip(*((row.cells if ok else empty) for row, ok in zip(chunk, fit, strict=True)), strict=True))
        arrays = [_without_empty(pa.array(columns[index], pa.string())) for index in indices]
        unfit = pa.array([None if ok else row.text for row, ok in zip(chunk, fit, strict=True)], pa.string())
        places = pa.array([row.place for row in chunk], pa.int64())
        # A batch without columns would not know its rows: the places are given beside it.
        yield pa.RecordBatch.from_arrays(arrays, [names[index] for index in indices]), places, unfit


def line_at(file: Path, place: int) -> int:
    """The number (from 1) of the line that begins at byte `place`."""
    line, left = 1, place
    with opened(file) as stream:
        while left > 0 and (block := stream.read(min(left, 1 << 20))):
            line += block.count(b"\n")
            left -= len(block)
    return line


def _lines(stream: BinaryIO, dialect: Dialect, place: int, end: int | None) -> Iterator[tuple[int, str]]:
    """Lines with their ends and where they begin."""
    for line in stream:
        if end is not None and place >= end:
            return
        begins, place = place, place + len(line)
        if begins == 0 and dialect.encoding == "utf-8":
            line = line.removeprefix(_UTF8_MARK)  # spreadsheets write it
        yield begins, line.decode(dialect.encoding, "replace")


def _single(lines: Iterator[tuple[int, str]], dialect: Dialect) -> Iterator[Record]:
    delimiter = dialect.delimiter
    for place, line in lines:
        text = line.removesuffix("\n").removesuffix("\r")
        if '"' not in text:
            if text.strip(" "):
                yield Record(place, text, text.split(delimiter))
            continue
        try:
            cells = next(csv.reader((text,), delimiter=delimiter, strict=True))
        except csv.Error:
            yield Record(place, text, None)
        else:
            yield Record(place, text, cells)


def _joined(lines: Iterator[tuple[int, str]], dialect: Dialect) -> Iterator[Record]:
    """Records whose quoted values may hold line breaks."""
    begins, read = 0, ""

    def fed() -> Iterator[str]:
        nonlocal begins, read
        for place, line in lines:
            if not read:
                begins = place
            read += line
            yield line

    reader = csv.reader(fed(), delimiter=dialect.delimiter, strict=True)
    while True:
        read = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield Record(begins, read.rstrip("\r\n"), None)
        else:
            if read.strip(" \r\n"):
                yield Record(begins, read.rstrip("\r\n"), cells)


def _without_empty(texts: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
