"""Stage a dictionary, and with it the tables that stay and whose codes it moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from streambench.datagen.ingest.dictionary import FOLDER, new_codes, recode, write_dictionary
from streambench.datagen.ingest.engine import Engine
from streambench.datagen.ingest.keys import KeyColumn
from streambench.datagen.ingest.target import Target
from streambench.datagen.tables import TABLES


def stage_dictionary(engine: Engine, key: KeyColumn, target: Target) -> tuple[Path, int]:
    """Stage a key's dictionary: this file's names and those that are there; returns its file and how many.

    Where that moves the codes of tables that stay, these are staged with their new codes.
    """
    staged, old = target.staging / FOLDER / f"{key.shared}.parquet", target.dictionary(key.shared)
    size = write_dictionary(engine.names(key, old), staged)
    if old is not None:
        codes = new_codes(old, staged)
        if len(codes) != size:
            for table, (column, _) in target.users_of(key.shared).items():
                _recode_table(target, table, column, codes)
    return staged, size


def _recode_table(target: Target, table: str, column: str, codes: np.ndarray) -> None:
    """Stage a table that stays with new codes; another key's new codes may have staged it before."""
    staged: list[Path] = sorted((target.staging / table).glob("part-*.parquet"))
    fresh = target.staging / f"{table}.recoding"
    recode(TABLES[table], staged or target.files(table), column, codes, fresh)
    (target.staging / table).mkdir(exist_ok=True)
    for file in fresh.iterdir():
        file.replace(target.staging / table / file.name)
    fresh.rmdir()
