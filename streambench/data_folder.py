"""What a folder of data is: the files in it that every reader takes, and no others.

A name that begins with `.` or `_` hides a file, and a folder with all below: side files, unfinished ones, trash. The
name of a partition, such as `_year=2024`, hides nothing. Only names below the folder count, not the folder's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from streambench.errors import DataError

PARQUET = (".parquet", ".pq", ".parq")
"""How names of Parquet files end, in upper or lower case."""

_OTHERS = (".csv", ".tsv", ".orc", ".avro", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson")
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
_MAGIC = b"PAR1"

# Tables whose log says which files count: what a table is, the log's folder, and what only a log holds.
_LOGS = (
    ("a Delta table", "_delta_log", re.compile(r"[^._].*\.json|\d{20}\.checkpoint\..+|_last_checkpoint")),
    ("an Iceberg table", "metadata", re.compile(r"[^._].*\.metadata\.json(\.gz)?")),
    ("a Hudi table", ".hoodie", re.compile(r".+")),
    ("a Paimon table", "snapshot", re.compile(r"snapshot-\d+")),
    ("the output of a stream of Spark's", "_spark_metadata", re.compile(r"\d+(\.compact)?")),
)


def data_files(folder: Path, suffixes: tuple[str, ...] = PARQUET) -> list[Path]:
    """The files of ``folder``, at any depth, whose names end in one of ``suffixes``, in the order of their names.

    Raises DataError for a table with a log, also where ``folder`` is a partition of one, for files of another format
    beside these, for a file that links show twice, and for what cannot be read.
    """
    _refuse_part(folder)
    seen: dict[str, Path] = {}
    files: list[Path] = []
    others: list[Path] = []
    for path in _visible(folder):
        name = path.name.lower()
        if not path.is_dir():
            if not name.endswith(suffixes):
                others += [path] * _is_other(path)
                continue
            require_utf8(path)
            if not path.is_file():
                raise DataError(f"{path} is no file, or a link that leads nowhere: remove it, or restore the file.")
            files.append(path)
        first = seen.setdefault(os.path.realpath(path), path)
        if first is not path:
            raise DataError(f"{path} and {first} are the same by a link, and would count twice: remove one.")
    if files and others:
        raise DataError(
            f"the folder {folder} holds files of several formats, or with names of several kinds ({files[0].name}, "
            f"{others[0].name}): give each a folder of its own, and Parquet files names that end in {PARQUET[0]}."
        )
    return sorted(files)


def require_utf8(path: Path) -> None:
    """Raises DataError for a name that Arrow, which opens files by their names in UTF-8, cannot open."""
    text = str(path)
    if os.fsencode(text) != text.encode("utf-8", "surrogatepass"):
        escaped = text.encode("ascii", "backslashreplace").decode()
        raise DataError(f"{escaped} is no name in UTF-8 in this locale; set LC_ALL=C.UTF-8, or rename the file.")


def _is_other(path: Path) -> bool:
    """Whether a file holds rows that are not looked for: by its name, or by its first bytes if that has no ending."""
    name = path.name.lower()
    for ending in _COMPRESSED:
        if name.endswith(ending):
            return name.removesuffix(ending).endswith((*_OTHERS, *PARQUET))
    if "." in name or not path.is_file():
        return name.endswith(_OTHERS)
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _visible(top: Path) -> Iterator[Path]:
    """Files and folders below ``top`` that no name hides; a folder is entered after it has been given."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        _refuse_log(folder)
        for path in _entries(folder):
            if path.name.startswith(".") or (path.name.startswith("_") and "=" not in path.name):
                continue
            yield path
            if path.is_dir():
                waiting.append(path)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as problem:
        raise DataError(f"the folder {folder} cannot be read ({problem.strerror}): mend that, or move it.") from None


def _refuse_log(folder: Path) -> None:
    for what, log, entry in _LOGS:
        if (folder / log).is_dir() and any(entry.fullmatch(path.name) for path in _entries(folder / log)):
            raise DataError(
                f"{folder} is {what}, whose log {log} says which files count, and streambench does not read it: "
                "write the table's rows as Parquet files into another folder, and give that."
            )


def _refuse_part(folder: Path) -> None:
    """Where ``folder`` is a partition, or Iceberg's `data`, the log lies above it."""
    place = Path(os.path.realpath(folder))
    while "=" in place.name or place.name == "data":
        place = place.parent
        _refuse_log(place)
