"""A data directory as the harness sees it: which Parquet files hold which table, in replay order.

`DIR/<table>/*.parquet` (files in name order hold the table in replay order) or one file
`DIR/<table>.parquet`. A `manifest.json` is optional: a directory made by hand needs none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench.data.file_stamp import FileStamp, file_stamp
from streambench.data.shortage import raise_shortage
from streambench.data_folder import data_files
from streambench.datagen.buckets import is_bucketed
from streambench.datagen.manifest_shape import misshapen
from streambench.errors import DataError
from streambench.parquet_file import open_parquet

MANIFEST = "manifest.json"
MARKER = "_INCOMPLETE"
SCHEMA = 1


@dataclass(frozen=True)
class TableFiles:
    """The files of one table, in replay order.

    `file_rows` and `rows` come from the files' own metadata; `schema` is the first file's. `stamps`: of each file its
    size and the time of its last change, when the table was opened; none where others read it, who may have copies.
    """

    name: str
    files: tuple[Path, ...]
    file_rows: tuple[int, ...]
    rows: int
    schema: pa.Schema
    stamps: dict[Path, FileStamp]

    def require_unchanged(self, file: Path) -> None:
        """Raise DataError where ``file`` is known not to be the one that was there when the table was opened.

        Asked after a file has been opened: so what was opened is what was there; and when it has been read.
        """
        if file in self.stamps and _stamp(file) != self.stamps[file]:
            raise DataError(f"{file} changed while table {self.name} was read: let its writer finish, then try again.")


class Catalog:
    """The tables of one data directory. Open it with `Catalog.open(path)`.

    `path` is the directory, `manifest` the parsed `manifest.json` or None for a directory made by hand.
    """

    def __init__(self, path: Path, manifest: dict[str, Any] | None) -> None:
        self.path = path
        self.manifest = manifest
        self._tables: dict[str, TableFiles] = {}

    def __repr__(self) -> str:
        return f"Catalog({str(self.path)!r})"

    @classmethod
    def open(cls, path: str | Path) -> Catalog:
        """Open a data directory; DataError if it is missing, unfinished, or its manifest cannot be read."""
        path = Path(path)
        if not path.exists():
            raise DataError(
                f"There is no data directory {path}: make one with `streambench data generate --out {path}`."
            )
        if not path.is_dir():
            raise DataError(f"{path} is not a directory: give the directory that holds the tables.")
        if (path / MARKER).exists():
            raise DataError(
                f"{path} is unfinished (it holds {MARKER}): the run that was writing it stopped, "
                "so make it again with --overwrite."
            )
        return cls(path, _read_manifest(path / MANIFEST))

    @property
    def kind(self) -> str | None:
        """`datagen` or `ingest`, as the manifest says; None for a directory made by hand."""
        return None if self.manifest is None else str(self.manifest.get("kind"))

    def bucketed(self, name: str) -> bool:
        """Whether the files of table `name` are buckets by key, each in replay order by itself."""
        return is_bucketed(self.manifest, name)

    def has(self, name: str) -> bool:
        """Whether the directory holds something by that table's name (it may still be unreadable)."""
        return (self.path / name).is_dir() or (self.path / f"{name}.parquet").exists()

    def table(self, name: str) -> TableFiles:
        """The files of table `name`.

        Raises DataError for a table that is missing or there twice, a file that is no readable Parquet, or a
        number of rows that is not the manifest's.
        """
        if name not in self._tables:
            self._tables[name] = self._find(name)
        return self._tables[name]

    def require_unchanged(self) -> None:
        """Raise DataError where a file of a table that was opened has changed since."""
        for table in self._tables.values():
            for file in table.files:
                table.require_unchanged(file)

    def dictionary(self, column: str) -> pa.Table | None:
        """The names behind a column's codes, as columns `code` (int64) and `name` (string).

        None where the column holds the user's own integers. Codes are ranks of the names in ascending order.
        """
        listed = (self.manifest or {}).get("dictionaries") or {}
        if column not in listed:
            return None
        file = self.path / listed[column]
        with reading(file):
            return open_parquet(file).read(["code", "name"], use_threads=False)

    def _find(self, name: str) -> TableFiles:
        files = self._files(name)
        stamps = {file: _stamp(file) for file in files}
        footers = [_footer(file) for file in files]
        rows = tuple(metadata.num_rows for metadata, _ in footers)
        table_files = TableFiles(name, files, rows, sum(rows), footers[0][1], stamps)
        self._compare_with_manifest(table_files)
        return table_files

    def _files(self, name: str) -> tuple[Path, ...]:
        folder, single = self.path / name, self.path / f"{name}.parquet"
        if folder.is_dir() and single.exists():
            raise DataError(f"Table {name} is in {self.path} twice, as {name}/ and as {name}.parquet: remove one.")
        if single.is_file():
            return (single,)
        if single.is_dir():  # other tools write a folder of that name
            folder = single
        if not folder.is_dir():
            if self.kind == "datagen" and name not in (self.manifest or {}).get("tables", {}):
                raise DataError(
                    f"{self.path} lacks {name}, which datagen did not make then: generate it again, with the same "
                    "options and --overwrite."
                )
            raise DataError(
                f"Table {name} is missing from {self.path}: make it with `streambench data generate`, or bring your "
                "own "
                f"with `streambench data ingest --table {name}`."
            )
        files = data_files(folder)
        if not files:
            raise DataError(f"Table {name} is empty: {folder} holds no .parquet file, so make the data again.")
        # Spark, which takes new files of a running stream, is given the folder and this ending.
        stray = next((file for file in files if file.parent != folder or file.suffix != ".parquet"), None)
        if stray is not None:
            raise DataError(
                f"Table {name} has the file {stray}: move it to {folder} with a name that ends in .parquet, or bring "
                f"the table in with `streambench data ingest --table {name}`."
            )
        return tuple(files)

    def _compare_with_manifest(self, table_files: TableFiles) -> None:
        listed = (self.manifest or {}).get("tables", {}).get(table_files.name)
        if listed is None:
            return
        here = {file.name for file in table_files.files}
        for name in listed.get("files", []):
            if Path(name).name not in here:
                raise DataError(
                    f"File {name} of table {table_files.name} is listed in {self.path / MANIFEST} but is not there: "
                    "make the data again."
                )
        if "rows" in listed and listed["rows"] != table_files.rows:
            raise DataError(
                f"Table {table_files.name} in {self.path} has {table_files.rows:,} rows where its manifest says "
                f"{listed['rows']:,}: files were changed, so make the data again."
            )


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Raise DataError where a file is there but cannot be read as Parquet, or what `raise_shortage` does."""
    try:
        yield
    except (OSError, pa.ArrowException) as problem:
        raise_shortage(problem)
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise DataError(
            f"{file} is not a readable Parquet file ({reason}): replace it, or make the data again."
        ) from problem


def _stamp(file: Path) -> FileStamp:
    with reading(file):
        return file_stamp(file)


def _footer(file: Path) -> tuple[Any, pa.Schema]:
    with reading(file), open_parquet(file) as opened:
        return opened.metadata, opened.schema_arrow


def _read_manifest(file: Path) -> dict[str, Any] | None:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise DataError(f"{file} cannot be read ({problem}): make the data again.") from problem
    try:
        manifest = json.loads(text)
    except json.JSONDecodeError as problem:
        raise DataError(f"{file} is not valid JSON (line {problem.lineno}): make the data again.") from problem
    except (ValueError, RecursionError) as problem:  # numbers too long, objects too deep
        raise DataError(f"{file} is no manifest of streambench: make the data again.") from problem
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise DataError(
            f"{file} is not a manifest that this version reads (schema {SCHEMA}): make the data again with it."
        )
    wrong = misshapen(manifest)
    if wrong is not None:
        raise DataError(f"{file} is damaged ({wrong}): make the data again.")
    return manifest
