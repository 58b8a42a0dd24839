"""The data directory that ingest writes: a new one, or one that ingest made before and that gets another table.

Everything is first written into a folder of its own in that directory and moved into place at the end, so that a
directory which gets another table stays as it was if anything fails.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.datagen import manifest
from streambench.datagen.errors import DatagenError, DatagenOptionError
from streambench.datagen.ingest.dictionary import FOLDER, new_codes, recode, write_dictionary
from streambench.datagen.ingest.mapping import SHARED_KEYS
from streambench.datagen.tables import TABLES

_STAGING = "_ingesting"


@dataclass
class Target:
    """`path` is the directory, `table` the table to come, `held` the manifest of what is there (empty if new)."""

    path: Path
    table: str
    held: dict[str, Any] = field(default_factory=dict)
    replaces_all: bool = False
    begun: bool = False

    @property
    def staging(self) -> Path:
        """Where everything is written first."""
        return self.path / _STAGING

    @property
    def other_tables(self) -> list[str]:
        """Tables that are there and stay."""
        return [name for name in self.held.get("tables", {}) if name != self.table]

    def files(self, table: str) -> list[Path]:
        """The files of a table that is there, in replay order."""
        return [self.path / name for name in self.held["tables"][table]["files"]]

    def keys_of(self, table: str) -> dict[str, str]:
        """For a table that is there, what each of its mapped key columns holds: integer or dictionary."""
        keys: dict[str, str] = self.held["parameters"]["tables"][table]["keys"]
        return keys

    def users_of(self, shared: str) -> dict[str, tuple[str, str]]:
        """The tables that stay and hold this key: table to (column, integer or dictionary)."""
        return {
            table: (column, holds)
            for table in self.other_tables
            for column, holds in self.keys_of(table).items()
            if SHARED_KEYS.get(column, column) == shared
        }

    def dictionary(self, shared: str) -> Path | None:
        """The dictionary that tables which stay have for this key."""
        for column, holds in self.users_of(shared).values():
            if holds == "dictionary":
                return self.path / str(self.held["dictionaries"][column])
        return None

    def begin(self) -> None:
        """Make the staging folder; a directory that is to be replaced loses what it held."""
        self.begun = True
        shutil.rmtree(self.staging, ignore_errors=True)  # of a run that was killed
        if self.replaces_all:
            manifest.start(self.path, overwrite=True)
        self.staging.mkdir()

    def stage_dictionary(self, shared: str, names: Iterable[pa.Array]) -> tuple[Path, int]:
        """Stage a key's dictionary: its names, those that are there too, in ascending order; returns its file and how
        many. Where that moves the codes of tables that stay, these are staged with their new codes."""
        staged, old = self.staging / FOLDER / f"{shared}.parquet", self.dictionary(shared)
        size = write_dictionary(names, staged)
        if old is not None:
            codes = new_codes(old, staged)
            if len(codes) != size:
                for table, (column, _) in self.users_of(shared).items():
                    self._recode(table, column, codes)
        return staged, size

    def _recode(self, table: str, column: str, codes: np.ndarray) -> None:
        """Stage a table that stays with new codes; another key's new codes may have staged it before."""
        staged, fresh = self.staging / table, self.staging / f"{table}.recoding"
        recode(TABLES[table], sorted(staged.glob("part-*.parquet")) or self.files(table), column, codes, fresh)
        shutil.rmtree(staged, ignore_errors=True)
        fresh.rename(staged)

    def commit(
        self, parameters: dict[str, Any], dictionaries: dict[str, str], versions: dict[str, str]
    ) -> dict[str, Any]:
        """Move what was staged into place and write the manifest; put everything back if that fails."""
        tables = {name: list(self.held["tables"][name]["files"]) for name in self.other_tables}
        tables[self.table] = [
            f"{self.table}/{f.name}" for f in sorted((self.staging / self.table).glob("part-*.parquet"))
        ]
        if self.held:
            manifest.reopen(self.path)
        moved: list[tuple[Path, Path]] = []
        try:
            self._move_in(moved)
            content = manifest.finish(
                self.path,
                kind="ingest",
                parameters=parameters,
                versions=versions,
                tables=tables,
                dictionaries=dictionaries,
            )
        except BaseException:
            if self.held:
                self._put_back(moved)
            raise
        shutil.rmtree(self.staging, ignore_errors=True)
        for file in (self.path / FOLDER).glob("*.parquet"):  # of a table that was replaced
            if f"{FOLDER}/{file.name}" not in dictionaries.values():
                file.unlink()
        return content

    def _move_in(self, moved: list[tuple[Path, Path]]) -> None:
        aside = self.staging / "replaced"
        staged = [entry for entry in self.staging.iterdir() if entry.is_dir()]
        aside.mkdir()
        new = [entry for entry in staged if entry.name != FOLDER] + list((self.staging / FOLDER).glob("*.parquet"))
        for entry in new:
            place = self.path / entry.relative_to(self.staging)
            kept = aside / entry.name
            place.parent.mkdir(exist_ok=True)
            moved.append((place, kept))
            if place.exists():
                place.rename(kept)
            entry.rename(place)

    def _put_back(self, moved: list[tuple[Path, Path]]) -> None:
        for place, kept in moved:
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
            if kept.exists():
                kept.rename(place)
        (self.path / manifest.MARKER).unlink(missing_ok=True)


def choose(out: str | Path | None, into: str | Path | None, table: str, overwrite: bool, source: Path) -> Target:
    """Check, before any work, that the table may be written there; nothing is changed.

    DatagenError where both or none are given, where something is there already, or where `into` was not made by ingest.
    """
    if (out is None) == (into is None):
        raise DatagenOptionError("Give either --out for a new directory or --into for one that ingest made before.")
    path = Path(str(out if into is None else into))
    if path.resolve() == source.resolve() or path.resolve() in source.resolve().parents:
        raise DatagenError(f"The file to ingest lies in {path}, which is to be written: choose another directory.")
    if into is not None:
        return _existing(path, table, overwrite)
    if path.exists() and not path.is_dir():
        raise DatagenError(f"{path} is a file: choose a directory.")
    if path.is_dir() and any(path.iterdir()):
        if not manifest.is_ours(path):
            raise DatagenError(f"{path} holds files that streambench did not make: choose an empty or new directory.")
        if not overwrite:
            raise DatagenError(
                f"{path} already exists: add --overwrite to replace it, or say --into {path} to add a table to it."
            )
    return Target(path, table, replaces_all=True)


@contextmanager
def undone_on_failure(target: Target) -> Iterator[None]:
    """On any failure, Ctrl-C too, remove what was staged, and a new directory with it.

    Must enclose the Spark session, so that no task writes any more when this cleans up. DatagenError for a disk that is
    full or may not be written.
    """
    try:
        yield
    except BaseException as failure:
        if target.begun:
            with suppress(OSError):
                shutil.rmtree(target.staging, ignore_errors=True)
                if target.replaces_all:
                    manifest.abandon(target.path)
        if not isinstance(failure, OSError):
            raise
        raise DatagenError(
            f"Cannot write to {target.path} ({failure.strerror or failure}): make room, or choose another directory."
        ) from None


def _existing(path: Path, table: str, overwrite: bool) -> Target:
    held = manifest.read(path)
    if held["kind"] != "ingest":
        raise DatagenError(f"{path} was made by datagen, whose tables would not fit yours: choose another --into.")
    if table in held["tables"] and not overwrite:
        raise DatagenError(f"{path} already holds {table}: add --overwrite to replace that table.")
    return Target(path, table, held)
