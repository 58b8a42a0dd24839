"""A data directory is accepted as it is meant, and refused in one sentence when something is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.datagen import check
from streambench.datagen.errors import DatagenError
from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog


def part(file: Path, values: list[int]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"i_item_sk": pa.array(values, pa.int64())}), file)


def manifest(path: Path, rows: int, files: list[str] | None = None, **more: object) -> None:
    tables = {"item": {"rows": rows, "files": files or ["part-00000.parquet"], "sha256": ""}}
    document = {"schema": 1, "kind": "datagen", "tables": tables, **more}
    (path / "manifest.json").write_text(json.dumps(document))


def test_files_in_name_order_hold_the_table(tmp_path: Path) -> None:
    for name, values in (("b", [3]), ("a", [1, 2]), ("_side", [9]), (".hidden", [9])):
        part(tmp_path / "item" / f"{name}.parquet", values)
    table = Catalog.open(tmp_path).table("item")
    assert [file.name for file in table.files] == ["a.parquet", "b.parquet"]
    assert (table.rows, table.file_rows) == (3, (2, 1))
    assert table.schema.names == ["i_item_sk"]


def test_a_single_file_and_a_folder_named_like_one_are_accepted(tmp_path: Path) -> None:
    part(tmp_path / "item.parquet", [1, 2])
    part(tmp_path / "web_page.parquet" / "part-0.parquet", [1])
    catalog = Catalog.open(str(tmp_path))
    assert catalog.table("item").rows == 2
    assert catalog.table("web_page").rows == 1
    assert catalog.has("item")
    assert not catalog.has("date_dim")
    assert catalog.manifest is None


def test_a_missing_directory_is_refused_with_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no data directory .*nowhere: make one with `streambench data generate --out"):
        Catalog.open(tmp_path / "nowhere")


def test_a_file_is_no_data_directory(tmp_path: Path) -> None:
    part(tmp_path / "x.parquet", [1])
    with pytest.raises(DataError, match="not a directory"):
        Catalog.open(tmp_path / "x.parquet")


def test_an_unfinished_directory_is_refused(tmp_path: Path) -> None:
    part(tmp_path / "item.parquet", [1])
    (tmp_path / "_INCOMPLETE").touch()
    with pytest.raises(DataError, match="unfinished"):
        Catalog.open(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 99}', "\udcff"])
def test_a_manifest_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=r"manifest\.json"):
        Catalog.open(tmp_path)


DAMAGED = [
    {"kind": 3},
    {"parameters": []},
    {"versions": "1"},
    {"tables": []},
    {"tables": {"item": 3}},
    {"tables": {"../item": {}}},
    {"tables": {"item": {"rows": "3"}}},
    {"tables": {"item": {"rows": -1}}},
    {"tables": {"item": {"rows": True}}},
    {"tables": {"item": {"rows": None}}},
    {"tables": {"item": {"files": 3}}},
    {"tables": {"item": {"files": [3]}}},
    {"tables": {"item": {"files": "part-00000.parquet"}}},
    {"tables": {"item": {"files": ["part\0"]}}},
    {"tables": {"item": {"sha256": 3}}},
    {"dictionaries": []},
    {"dictionaries": {"ss_item_sk": 3}},
]


@pytest.mark.parametrize("damaged", DAMAGED, ids=json.dumps)
def test_a_manifest_with_a_wrong_type_is_refused_in_one_sentence(tmp_path: Path, damaged: dict[str, object]) -> None:
    part(tmp_path / "item" / "part-00000.parquet", [1])
    entry = {"rows": 1, "files": ["item/part-00000.parquet"], "sha256": ""}
    sound = {"schema": 1, "kind": "ingest", "tables": {"item": entry}, "dictionaries": {}}
    (tmp_path / "manifest.json").write_text(json.dumps({**sound, **damaged}))
    with pytest.raises(DataError, match=r"manifest\.json is damaged \(.*\): make the data again\.$") as refused:
        Catalog.open(tmp_path)
    assert "\n" not in str(refused.value)
    with pytest.raises(DatagenError, match=r"manifest\.json") as refused_by_check:
        check(tmp_path)
    assert "\n" not in str(refused_by_check.value)


@pytest.mark.parametrize("text", ['{"schema": ' + 5_000 * "1" + "}", 100_000 * "["], ids=["long number", "deep"])
def test_a_manifest_past_what_json_allows_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DataError, match=r"manifest\.json is no manifest of streambench"):
        Catalog.open(tmp_path)
    with pytest.raises(DatagenError, match=r"manifest\.json"):
        check(tmp_path)


def test_a_missing_table_is_named_with_how_to_make_it(tmp_path: Path) -> None:
    (tmp_path / "item").mkdir()
    catalog = Catalog.open(tmp_path)
    with pytest.raises(DataError, match=r"Table web_page is missing from .*ingest --table web_page"):
        catalog.table("web_page")
    with pytest.raises(DataError, match=r"holds no \.parquet file"):
        catalog.table("item")


def test_a_table_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    part(tmp_path / "item.parquet", [1])
    part(tmp_path / "item" / "part-0.parquet", [1])
    with pytest.raises(DataError, match="twice"):
        Catalog.open(tmp_path).table("item")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"hello, this is no parquet", None])
def test_a_file_that_is_no_parquet_is_named(tmp_path: Path, content: bytes | None) -> None:
    part(tmp_path / "item" / "part-0.parquet", [1])
    broken = tmp_path / "item" / "part-1.parquet"
    broken.write_bytes((tmp_path / "item" / "part-0.parquet").read_bytes()[:-20] if content is None else content)
    with pytest.raises(DataError, match=r"part-1\.parquet is not a readable Parquet file") as caught:
        Catalog.open(tmp_path).table("item")
    assert "\n" not in str(caught.value)


def test_a_row_count_that_is_not_the_manifests_is_refused(tmp_path: Path) -> None:
    part(tmp_path / "item" / "part-00000.parquet", [1, 2])
    manifest(tmp_path, rows=2)
    assert Catalog.open(tmp_path).table("item").rows == 2
    manifest(tmp_path, rows=3)
    with pytest.raises(DataError, match="has 2 rows where its manifest says 3"):
        Catalog.open(tmp_path).table("item")


@pytest.mark.parametrize("listed", ["part-00001.parquet", "item/part-00001.parquet"])
def test_a_listed_file_that_is_gone_is_named(tmp_path: Path, listed: str) -> None:
    part(tmp_path / "item" / "part-00000.parquet", [1, 2])
    manifest(tmp_path, rows=2, files=["part-00000.parquet", listed])
    with pytest.raises(DataError, match=r"part-00001\.parquet of table item is listed"):
        Catalog.open(tmp_path).table("item")


def test_a_dictionary_gives_the_names_behind_codes(tmp_path: Path) -> None:
    (tmp_path / "dictionaries").mkdir()
    names = pa.table({"code": pa.array([0, 1], pa.int64()), "name": ["Bread", "Tea"]})
    pq.write_table(names, tmp_path / "dictionaries" / "ss_item_sk.parquet")
    manifest(tmp_path, rows=0, dictionaries={"ss_item_sk": "dictionaries/ss_item_sk.parquet", "x": "gone.parquet"})
    catalog = Catalog.open(tmp_path)
    found = catalog.dictionary("ss_item_sk")
    assert found is not None
    assert found.equals(names)
    assert catalog.dictionary("wcs_item_sk") is None
    with pytest.raises(DataError, match=r"gone\.parquet"):
        catalog.dictionary("x")
