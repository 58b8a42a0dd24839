"""The manifest's promises: written last, never over foreign files, and a hash of content and order only."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streambench.datagen import content, manifest
from streambench.datagen.errors import DatagenError


def write(file: Path, keys: list[int | None], names: list[str | None]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"key": pa.array(keys, pa.int64()), "name": pa.array(names, pa.string())}), file)
    return file


def finish(out: Path, files: list[str]) -> dict[str, object]:
    return manifest.finish(out, kind="datagen", parameters={}, versions={}, tables={"item": files})


def test_the_marker_is_there_until_the_manifest_is(tmp_path: Path) -> None:
    out = tmp_path / "data"
    manifest.start(out)
    assert (out / manifest.MARKER).exists()
    with pytest.raises(DatagenError, match="incomplete"):
        manifest.read(out)
    write(out / "item" / "part-00000.parquet", [1, 2], ["a", None])
    made = finish(out, ["item/part-00000.parquet"])
    assert not (out / manifest.MARKER).exists()
    assert manifest.read(out) == made
    assert made["tables"]["item"]["rows"] == 2  # type: ignore[index]


def test_a_failure_while_hashing_leaves_no_manifest(tmp_path: Path) -> None:
    manifest.start(tmp_path)
    with pytest.raises(OSError, match="nothing"):
        finish(tmp_path, ["item/nothing.parquet"])
    assert not (tmp_path / manifest.FILE).exists()
    assert (tmp_path / manifest.MARKER).exists()


def test_an_empty_directory_is_accepted_and_a_used_one_refused(tmp_path: Path) -> None:
    manifest.start(tmp_path)
    finish(tmp_path, [])
    with pytest.raises(DatagenError, match="--overwrite"):
        manifest.start(tmp_path)


def test_overwrite_deletes_only_what_streambench_wrote(tmp_path: Path) -> None:
    manifest.start(tmp_path)
    write(tmp_path / "item" / "part-00000.parquet", [1], ["a"])
    finish(tmp_path, ["item/part-00000.parquet"])
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "thesis").mkdir()
    manifest.start(tmp_path, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [manifest.MARKER, "notes.txt", "thesis"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_overwrite_follows_no_link_out_of_the_directory(tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other / "part-00000.parquet", [1], ["a"])
    out = tmp_path / "data"
    manifest.start(out)
    (out / "item").symlink_to(other)
    finish(out, ["item/part-00000.parquet"])
    manifest.start(out, overwrite=True)
    assert (other / "part-00000.parquet").exists()


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json", "_INCOMPLETE", "item"])
def test_a_foreign_directory_is_never_touched(tmp_path: Path, name: str) -> None:
    if name == "item":
        write(tmp_path / name / "part-00000.parquet", [1], ["a"])
    else:
        (tmp_path / name).write_text('{"name": "somebody else\'s"}')
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DatagenError, match="did not make"):
        manifest.start(tmp_path, overwrite=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DatagenError, match="is a file"):
        manifest.start(tmp_path / "file", overwrite=True)


def test_abandon_removes_what_was_begun_and_nothing_finished(tmp_path: Path) -> None:
    out = tmp_path / "data"
    manifest.start(out)
    write(out / "item" / "part-00000.parquet", [1], ["a"])
    manifest.abandon(out)
    assert not out.exists()
    manifest.start(out)
    finish(out, [])
    manifest.abandon(out)
    assert (out / manifest.FILE).exists()


def test_a_manifest_of_a_later_schema_is_refused(tmp_path: Path) -> None:
    manifest.start(tmp_path)
    made = finish(tmp_path, [])
    (tmp_path / manifest.FILE).write_text(json.dumps({**made, "schema": manifest.SCHEMA + 1}))
    with pytest.raises(DatagenError, match="schema"):
        manifest.read(tmp_path)


@pytest.mark.parametrize(
    "tables", [3, {}, {"item": 3}, {"item": {}}, {"item": {"keys": 3}}, {"item": {"keys": {"i_item_sk": 3}}}]
)
def test_an_ingest_that_does_not_say_what_keys_a_table_has_is_refused(tmp_path: Path, tables: object) -> None:
    manifest.start(tmp_path)
    write(tmp_path / "item" / "part-00000.parquet", [1], ["a"])
    made = finish(tmp_path, ["item/part-00000.parquet"])
    damaged = {**made, "kind": "ingest", "parameters": {"tables": tables}}
    (tmp_path / manifest.FILE).write_text(json.dumps(damaged))
    with pytest.raises(DatagenError, match="do not say what keys table item has"):
        manifest.read(tmp_path)


ROWS = st.lists(st.tuples(st.none() | st.integers(-5, 2**62), st.none() | st.text(max_size=3)), max_size=30)


@given(ROWS, st.integers(0, 30), st.integers(1, 9))
@settings(max_examples=40)
def test_the_hash_ignores_how_rows_lie_in_files(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int | None, str | None]], cut: int, chunk: int
) -> None:
    folder = tmp_path_factory.mktemp("hash")
    keys, names = [row[0] for row in rows], [row[1] for row in rows]
    whole = write(folder / "whole.parquet", keys, names)
    first = write(folder / "first.parquet", keys[:cut], names[:cut])
    second = write(folder / "second.parquet", keys[cut:], names[cut:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "CHUNK_ROWS", chunk)
        assert content.content_hash([whole]) == content.content_hash([first, second])


@given(ROWS, ROWS)
@settings(max_examples=60)
def test_the_hash_tells_any_two_sequences_apart(
    tmp_path_factory: pytest.TempPathFactory,
    one: list[tuple[int | None, str | None]],
    two: list[tuple[int | None, str | None]],
) -> None:
    folder = tmp_path_factory.mktemp("hash")
    hashes = []
    for number, rows in enumerate((one, two, one[::-1])):
        file = write(folder / f"{number}.parquet", [row[0] for row in rows], [row[1] for row in rows])
        hashes.append(content.content_hash([file])[1])
    assert (hashes[0] == hashes[1]) == (one == two)
    assert (hashes[0] == hashes[2]) == (one == one[::-1])


def test_null_zero_and_empty_text_differ(tmp_path: Path) -> None:
    hashes = {
        content.content_hash([write(tmp_path / f"{number}.parquet", [key], [name])])[1]
        for number, (key, name) in enumerate([(0, ""), (None, ""), (0, None), (None, None)])
    }
    assert len(hashes) == 4
