"""Buckets hold all rows of their keys in replay order; a run over one machine says why it refuses them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import make

from streambench.datagen.buckets import KEYS, require_buckets
from streambench.datagen.checking.integrity import first_out_of_order
from streambench.datagen.deal import deal
from streambench.datagen.errors import DatagenOptionError
from streambench.datagen.tables import TABLES
from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.runner import run


def in_buckets(data: Path, number: int) -> None:
    """Deal the streams out, and tell so in a manifest."""
    for table in KEYS:
        files = sorted(f"{table}/{file.name}" for file in (data / table).iterdir())
        deal(data, table, files, number)
    manifest = {"schema": 1, "kind": "datagen", "parameters": {"buckets": number}, "versions": {}, "tables": {}}
    (data / "manifest.json").write_text(json.dumps(manifest))


def rows_of(files: list[Path]) -> list[tuple[object, ...]]:
    table = pa.concat_tables([pq.read_table(file) for file in files])
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.parametrize("number", [1, 3, 40])
def test_each_bucket_has_all_rows_of_its_keys_in_replay_order(number: int, tmp_path: Path) -> None:
    data = make(tmp_path / "data", seed=5).path
    before = {table: rows_of(sorted((data / table).iterdir())) for table in KEYS}
    in_buckets(data, number)
    for table, key in KEYS.items():
        files = sorted((data / table).iterdir())
        assert len(files) == number
        found = [rows_of([file]) for file in files]
        assert sorted(map(repr, before[table])) == sorted(repr(row) for rows in found for row in rows)
        place = pq.read_schema(files[0]).names.index(key)
        keys = [{row[place] for row in rows} - {None} for rows in found]
        assert sum(map(len, keys)) == len(set().union(*keys))
        for rows in found:
            order = [row for row in before[table] if row in set(rows)]
            assert rows == order
        assert all(first_out_of_order(TABLES[table], [file]) is None for file in files)


def test_one_machine_refuses_buckets_in_a_sentence_and_sorts_them_if_asked(tmp_path: Path) -> None:
    data = make(tmp_path / "data", seed=5).path
    in_order = run("q3", data)
    in_buckets(data, 3)
    with pytest.raises(DataError, match="lies in buckets by key, for runs with --engine spark: add --sort"):
        run("q3", data)
    again = run("q3", data, sort=True, preload=True)
    assert again.answer_ok
    assert again.sequence_ok
    assert again.digest == in_order.digest


def test_only_streams_of_a_manifest_that_says_so_are_bucketed(tmp_path: Path) -> None:
    data = make(tmp_path / "data", seed=5).path
    assert not Catalog.open(data).bucketed("web_clickstreams")
    in_buckets(data, 2)
    assert Catalog.open(data).bucketed("web_clickstreams")
    assert not Catalog.open(data).bucketed("ad_events")


@pytest.mark.parametrize("number", [0, 5000, True])
def test_a_number_of_buckets_that_cannot_be_is_refused(number: int) -> None:
    with pytest.raises(DatagenOptionError, match="buckets must lie in 1 to 1024"):
        require_buckets(number)
