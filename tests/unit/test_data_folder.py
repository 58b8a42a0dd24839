"""One rule says which files of a folder count; every reader keeps it, and a table with a log is refused by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import streambench
from streambench.data.parquet_files import ParquetFiles
from streambench.data_folder import data_files
from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.mapping import ColumnMapping
from streambench.datagen.ingest.source import Source
from streambench.errors import DataError
from streambench.execution.pipeline import Pipeline
from streambench.lab.cli import cli
from streambench.lab.data.catalog import Catalog
from streambench.pyx.tuples.table_sink import TableSink

HIDDEN = (
    "_temporary/0/part-1.parquet",
    ".part-2.parquet",
    ".ipynb_checkpoints/x.parquet",
    "_delta_log/0.checkpoint.parquet",
    "._x.parquet",
    ".Trash/x.parquet",
    "__MACOSX/._x.parquet",
    "sub/_tmp/x.parquet",
    "_metadata",
    "_common_metadata",
    "_SUCCESS",
    ".part-0.parquet.crc",
    ".DS_Store",
)
LOGS = {
    "a Delta table": ("_delta_log/00000000000000000000.json",),
    "a Delta table ": ("_delta_log/00000000000000000010.checkpoint.parquet",),
    "a Delta table  ": ("_delta_log/_last_checkpoint",),
    "an Iceberg table": ("metadata/00000-9c2.metadata.json",),
    "an Iceberg table ": ("metadata/v1.metadata.json.gz",),
    "a Hudi table": (".hoodie/hoodie.properties",),
    "a Paimon table": ("snapshot/snapshot-1", "schema/schema-0"),
    "the output of a stream of Spark's": ("_spark_metadata/0",),
}


def part(file: Path, *values: int, column: str = "ts") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({column: pa.array(values, pa.int64())}), file)
    return file


def lay(folder: Path, *names: str) -> None:
    for name in names:
        if name.endswith(".parquet"):
            part(folder / name, 9, column="no_data")  # which no reader takes beside the others
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("{}")


def by_parquet_files(folder: Path) -> int:
    return ParquetFiles(folder).rows


def by_source(folder: Path) -> int:
    sink = TableSink()
    Pipeline([streambench.ArrowSource(folder), sink]).run()
    return int(sink.tuples)


def by_ingest(folder: Path) -> int:
    source = Source.open(folder, ColumnMapping())
    return sum(len(rows) for piece in source.pieces() for rows in source.read(piece, source.columns))


def by_catalog(folder: Path) -> int:
    return Catalog.open(folder.parent).table(folder.name).rows


READERS = [by_parquet_files, by_source, by_ingest, by_catalog]
readers = pytest.mark.parametrize("rows", READERS, ids=lambda each: each.__name__)


@readers
def test_hidden_files_are_no_data(rows: Callable[[Path], int], tmp_path: Path) -> None:
    part(tmp_path / "t" / "part-0.parquet", 1, 2)
    lay(tmp_path / "t", *HIDDEN)
    assert rows(tmp_path / "t") == 2


@readers
def test_the_folder_itself_may_be_called_as_it_likes(rows: Callable[[Path], int], tmp_path: Path) -> None:
    part(tmp_path / "_a" / ".t" / "part-0.parquet", 1, 2)
    assert rows(tmp_path / "_a" / ".t") == 2


@readers
@pytest.mark.parametrize("what", LOGS)
def test_a_table_with_a_log_is_refused_by_its_name(rows: Callable[[Path], int], what: str, tmp_path: Path) -> None:
    part(tmp_path / "t" / "part-0.parquet", 1, 2)
    lay(tmp_path / "t", *LOGS[what])
    log = LOGS[what][0].partition("/")[0]
    with pytest.raises(
        (DataError, DatagenError), match=rf"t is {what.strip()}, whose log {log} says which files count"
    ):
        rows(tmp_path / "t")


@readers
def test_a_file_of_no_bytes_is_no_parquet(rows: Callable[[Path], int], tmp_path: Path) -> None:
    part(tmp_path / "t" / "part-0.parquet", 1, 2)
    (tmp_path / "t" / "part-1.parquet").touch()
    with pytest.raises(
        (DataError, DatagenError), match=r"part-1\.parquet (cannot be read as|is not a readable) Parquet"
    ):
        rows(tmp_path / "t")


@readers
@pytest.mark.parametrize("other", ["b.csv", "sub/b.ORC", "b.arrow", "b.tsv.gz"])
def test_a_folder_of_several_formats_is_refused(rows: Callable[[Path], int], other: str, tmp_path: Path) -> None:
    part(tmp_path / "t" / "part-0.parquet", 1, 2)
    lay(tmp_path / "t", other)
    with pytest.raises((DataError, DatagenError), match=r"holds files of several formats|mixes CSV and Parquet"):
        rows(tmp_path / "t")


@pytest.mark.parametrize("other", ["part-1", "sub/part-1.parquet.gz"])
def test_parquet_with_a_name_that_does_not_say_so_is_not_left_out(other: str, tmp_path: Path) -> None:
    part(tmp_path / "t" / "part-0.parquet", 1, 2)
    part(tmp_path / "t" / other, 3)
    with pytest.raises(DataError, match=r"part-1.*names that end in \.parquet"):
        data_files(tmp_path / "t")
    lay(tmp_path / "u", "README", "_SUCCESS", "notes.gz")
    part(tmp_path / "u" / "part-0.parquet", 1, 2)
    assert [each.name for each in data_files(tmp_path / "u")] == ["part-0.parquet"]


def test_a_log_is_seen_above_a_partition_and_below_a_folder(tmp_path: Path) -> None:
    part(tmp_path / "delta" / "day=1" / "hour=2" / "part-0.parquet", 1)
    lay(tmp_path / "delta", "_delta_log/00000000000000000000.json")
    part(tmp_path / "iceberg" / "data" / "day=1" / "part-0.parquet", 1)
    lay(tmp_path / "iceberg", "metadata/v1.metadata.json")
    (tmp_path / "link").symlink_to(tmp_path / "delta" / "day=1")
    for place in ("delta/day=1/hour=2", "delta/day=1", "iceberg/data", "iceberg/data/day=1", "link", "."):
        with pytest.raises(DataError, match=r"is an? (Delta|Iceberg) table, whose log"):
            data_files(tmp_path / place)


def test_folders_that_only_look_like_a_log_refuse_nothing(tmp_path: Path) -> None:
    file = part(tmp_path / "part-0.parquet", 1)
    lay(tmp_path, "_delta_log/.0.json.crc", "metadata/columns.json", "snapshot/notes.txt", "_spark_metadata/.1.crc")
    assert data_files(tmp_path) == [file]


def test_files_are_ordered_by_name_whatever_their_depth_and_case(tmp_path: Path) -> None:
    names = [
        "a.parquet",
        "b.PARQUET",
        "c.parq",
        "d/a.pq",
        "d/day=2/a.parquet",
        "day=1/_h=1/a.parquet",
        "e.parquet/x.parquet",
    ]
    for k, name in enumerate(reversed(names)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        part(tmp_path / "made.parquet", k).rename(tmp_path / name)
    lay(tmp_path, "README.txt", "manifest.json", "f.parquet.tmp", "_run=1.txt")
    assert [str(file.relative_to(tmp_path)) for file in data_files(tmp_path)] == names


def test_a_link_is_followed_and_nothing_counts_twice(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    part(data / "a.parquet", 1)
    part(elsewhere / "b.parquet", 2)
    (data / "more").symlink_to(elsewhere)
    assert data_files(data) == [data / "a.parquet", data / "more" / "b.parquet"]
    for link, to in {"latest.parquet": data / "a.parquet", "again": elsewhere, "loop": data}.items():
        (data / link).symlink_to(to)
        with pytest.raises(DataError, match="are the same by a link, and would count twice: remove one"):
            data_files(data)
        (data / link).unlink()


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    part(tmp_path / "a.parquet", 1)
    (tmp_path / "b.parquet").symlink_to(tmp_path / "gone.parquet")
    with pytest.raises(DataError, match=r"b\.parquet is no file, or a link that leads nowhere"):
        data_files(tmp_path)


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part(tmp_path / "sub" / "a.parquet", 1)
    every = Path.iterdir

    def barred(self: Path) -> Any:
        if self.name == "sub":
            raise PermissionError(13, "Permission denied")
        return every(self)

    monkeypatch.setattr(Path, "iterdir", barred)
    with pytest.raises(DataError, match=r"the folder .*sub cannot be read \(Permission denied\)"):
        data_files(tmp_path)


def test_a_tables_file_in_a_place_of_its_own_is_told(tmp_path: Path) -> None:
    part(tmp_path / "item" / "a.parquet", 1)
    for name in ("day=1/b.parquet", "b.pq"):
        file = part(tmp_path / "item" / name, 2)
        with pytest.raises(DataError, match=rf"^Table item has the file {re.escape(str(file))}: move it to"):
            Catalog.open(tmp_path).table("item")
        file.unlink()


def build(data: Any) -> Pipeline:
    return Pipeline([data, TableSink()])


@pytest.mark.parametrize(
    "command",
    [
        "topk {0} --column ts",
        "join {0} {0} --equal ts:ts --window 0",
        f"run {__name__}:build --data {{0}}",
        "data ingest {0} --table web_clickstreams --map ts=ts --map user=ts --timestamp-format epoch --dry-run --out x",
    ],
    ids=lambda command: command.partition(" ")[0],
)
def test_commands_count_what_is_data_and_refuse_a_delta_table(command: str, tmp_path: Path) -> None:
    part(tmp_path / "t" / "part-0.parquet", 1, 2)
    lay(tmp_path / "t", *HIDDEN)
    words = [word.format(tmp_path / "t") for word in command.split()]
    told: Any = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, (told.output, told.exception)
    lay(tmp_path / "t", "_delta_log/00000000000000000000.json")
    with pytest.raises((DataError, DatagenError), match="t is a Delta table, whose log _delta_log"):
        CliRunner().invoke(cli, words, catch_exceptions=False, standalone_mode=False)
