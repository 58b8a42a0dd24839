"""What a file is by its first bytes: so that what is no text is not read as CSV."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

from streambench.datagen.errors import DatagenError

_HEAD_BYTES = 1 << 16
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"

# What a file begins with, what it is, and what to do.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (PARQUET, "a Parquet file", "name it .parquet"),
    (GZIP, "compressed by gzip", "name it .csv.gz"),
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook", "unpack it, or save the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the sheet as CSV"),
    (b"%PDF-", "a PDF", "export the table as CSV"),
    (b"BZh", "compressed by bzip2", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "compressed by Zstandard", "unpack it"),
    (b"\xfd7zXZ", "compressed by xz", "unpack it"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (b"ARROW1", "an Arrow file", "write it as Parquet"),
    (b"ORC", "an ORC file", "write it as Parquet"),
    (b"Obj\x01", "an Avro file", "write it as Parquet"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\xff\xfe", "in UTF-16", "save it in UTF-8"),
    (b"\xfe\xff", "in UTF-16", "save it in UTF-8"),
)
_TEXTS = (b"%PDF-", b"\xff\xfe", b"\xfe\xff")  # need not hold control characters
_MARKUP = re.compile(rb"\s*<(\?xml|!doctype|html)\b", re.IGNORECASE)
_JSON = re.compile(rb'\s*(\{\s*("([^"\\]|\\.)*"\s*:|\})|\[\s*([\[{]|"([^"\\]|\\.)*"\s*[,\]]))')
_UTF8_MARK = b"\xef\xbb\xbf"


def check_text(file: Path, delimiter: str) -> None:
    """DatagenError, with what it is instead, for a file that is to be read as CSV and is no text in lines."""
    head = _head(file)
    unlike = _unlike_csv(head.removeprefix(_UTF8_MARK), delimiter)
    if unlike is not None:
        what, mend = unlike
        raise DatagenError(f"{file} is {what}, not CSV: {mend}.")


def is_parquet(file: Path) -> bool:
    """Whether a file says that it is Parquet."""
    with file.open("rb") as opened:
        return opened.read(len(PARQUET)) == PARQUET


def _unlike_csv(head: bytes, delimiter: str) -> tuple[str, str] | None:
    binary = any(head.count(byte) for byte in range(9))  # a header may well begin with ORC or PAR1
    for magic, what, mend in _MAGIC:
        if head.startswith(magic) and (binary or magic in _TEXTS):
            return what, mend
    if b"\0" in head:
        if max(head[::2].count(0), head[1::2].count(0)) > len(head) // 5:
            return "in UTF-16", "save it in UTF-8"
        return "binary (it holds zero bytes)", "export the table as CSV"
    odd = sum(head.count(byte) for byte in range(32) if chr(byte) not in "\t\n\r\f\v\x1b" + delimiter)
    if odd * 10 > len(head):
        return "binary (it is full of control characters)", "export the table as CSV"
    if _MARKUP.match(head):
        return "HTML or XML", "export the table as CSV"
    if _JSON.match(head):
        return "JSON", "write it as CSV or Parquet"
    if b"\r" in head and b"\n" not in head:
        return "written with carriage returns in place of line ends", "save it with ordinary line ends"
    return None


def _head(file: Path) -> bytes:
    try:
        if not file.name.lower().endswith(".gz"):
            with file.open("rb") as opened:
                return opened.read(_HEAD_BYTES)
        with gzip.open(file) as unpacked:
            return unpacked.read(_HEAD_BYTES)
    except gzip.BadGzipFile:
        raise DatagenError(f"{file} is not compressed by gzip: name it .csv.") from None
    except (EOFError, zlib.error):
        raise DatagenError(f"{file} cannot be unpacked, it is damaged or cut short: make it again.") from None
    except OSError as problem:
        raise DatagenError(f"{file} cannot be read: {problem.strerror}.") from None
