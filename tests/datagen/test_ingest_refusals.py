"""Bad input to `data ingest`: exit code 1 or 2, one sentence that names it, no traceback, nothing written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.datagen import manifest
from streambench.lab.cli import main

SALES = ["--table", "store_sales", "--map", "ts=Date+Time", "--map", "ticket=Transaction", "--map", "item=Item"]
GOOD = "Date,Time,Transaction,Item\n2016-10-30,09:58:11,1,Bread\n"


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Run the command, which must fail with one line of text; returns that line."""
    with pytest.raises(SystemExit) as stopped:
        main(["data", "ingest", *map(str, arguments)])
    told = capsys.readouterr()
    assert stopped.value.code in (1, 2)  # which of them: tests/cli/test_exit_codes.py
    assert told.out == ""
    lines = [line for line in told.err.splitlines() if line.strip()]
    assert len(lines) == 1, told.err
    assert lines[0].startswith("streambench: ")
    assert "Traceback" not in told.err
    return lines[0]


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    file = tmp_path / "sales.csv"
    file.write_text(GOOD)
    return file


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "sales.csv is empty"),
        (b"Date,Time,Transaction\n", "no column 'Item': its columns are Date, Time, Transaction"),
        (b"Date,Time,Transaction,Item\n", "No row of sales.csv is left: it holds none."),
        (b"Day,Time,Transaction,Item\n", "no column 'Date'"),
        (b"date,Time,Transactions,Item\n", "no column 'Date': its columns are date, Time, Transactions, Item; did you"),
        (b"Date,Time,Transactions,Item\n", "did you mean 'Transactions'?"),
        (b"Date,Time,Transaction,Item,ITEM\n", "two columns named 'ITEM'"),
        (b"Date;Time;Transaction;Item\n", "no column 'Date': its columns are Date;Time;Transaction;Item"),
    ],
)
def test_a_file_that_lacks_what_the_mapping_asks_is_named(
    capsys: pytest.CaptureFixture[str], sales: Path, content: bytes, words: str
) -> None:
    sales.write_bytes(content)
    assert words in refused(capsys, sales, *SALES, "--out", sales.parent / "out")
    assert not (sales.parent / "out").exists()


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "no file or folder" in refused(capsys, tmp_path / "nowhere.csv", *SALES, "--out", tmp_path / "out")


def test_a_column_to_drop_by_must_exist(capsys: pytest.CaptureFixture[str], sales: Path) -> None:
    told = refused(capsys, sales, *SALES, "--drop", "Product=NONE", "--out", sales.parent / "out")
    assert "no column 'Product'" in told


def test_a_broken_parquet_file_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "sales.parquet").write_bytes(b"PAR1 and then nothing of the kind")
    told = refused(capsys, tmp_path / "sales.parquet", *SALES, "--out", tmp_path / "out")
    assert "sales.parquet is not a readable Parquet file" in told


def test_parquet_files_of_different_types_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    folder.mkdir()
    pq.write_table(pa.table({"Item": ["a"]}), folder / "1.parquet")
    pq.write_table(pa.table({"Item": [1]}), folder / "2.parquet")
    told = refused(capsys, folder, *SALES, "--out", tmp_path / "out")
    assert "2.parquet has other columns or types than 1.parquet" in told


def test_csv_files_with_different_columns_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    folder.mkdir()
    (folder / "1.csv").write_text(GOOD)
    (folder / "2.csv").write_text("Time,Date,Transaction,Item\n")
    assert "2.csv has other columns" in refused(capsys, folder, *SALES, "--out", tmp_path / "out")


def test_a_folder_that_mixes_csv_and_parquet_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    folder.mkdir()
    (folder / "1.csv").write_text(GOOD)
    pq.write_table(pa.table({"Item": ["a"]}), folder / "2.parquet")
    assert "mixes CSV and Parquet" in refused(capsys, folder, *SALES, "--out", tmp_path / "out")


def test_a_folder_with_nothing_to_read_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    folder.mkdir()
    (folder / "notes.md").write_text("hello")
    assert "holds no CSV or Parquet file" in refused(capsys, folder, *SALES, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--map", "quantity"], "not of the form NAME=COLUMN"),
        (["--map", "cashier=Item"], "'cashier' is no column of store_sales"),
        (["--delimiter", "ab"], "delimiter must be one character"),
        (["--encoding", "klingon"], "Encoding 'klingon'"),
        (["--delimiter", '"'], "delimiter must be one character, no quote"),
        (["--partitions", "0"], "--partitions must be 1 or more"),
        (["--null", "0"], "write NAME=TEXT, such as --null sales=0"),
        (["--map", "net_paid=Item*Prize"], "no column 'Prize' (for ss_net_paid=Item*Prize)"),
        (["--map", "net_paid=Item*"], "is no expression of + - * /"),
        (["--engine", "local", "--master", "local[1]"], "--master is for Spark"),
        (["--mapping", "nowhere.toml"], "no mapping file nowhere.toml"),
        (["--dictionary", "store"], "ss_store_sk, which is not mapped"),
        (["--into", "elsewhere"], "either --out for a new directory or --into"),
    ],
)
def test_an_option_that_cannot_be_met_is_named(
    capsys: pytest.CaptureFixture[str], sales: Path, extra: list[str], words: str
) -> None:
    assert words in refused(capsys, sales, *SALES, *extra, "--out", sales.parent / "out")


def test_an_unknown_table_is_wrong_usage(capsys: pytest.CaptureFixture[str], sales: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["data", "ingest", str(sales), "--table", "sales", "--out", str(sales.parent / "out")])
    assert stopped.value.code == 2
    assert "store_sales" in capsys.readouterr().err


def test_neither_out_nor_into_is_refused(capsys: pytest.CaptureFixture[str], sales: Path) -> None:
    assert "either --out for a new directory or --into" in refused(capsys, sales, *SALES)


def test_a_directory_in_use_is_refused_without_overwrite(capsys: pytest.CaptureFixture[str], sales: Path) -> None:
    out = sales.parent / "out"
    manifest.start(out)
    told = refused(capsys, sales, *SALES, "--out", out)
    assert "already exists: add --overwrite" in told
    assert f"--into {out}" in told


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_foreign_directory_is_never_written(
    capsys: pytest.CaptureFixture[str], sales: Path, overwrite: list[str]
) -> None:
    out = sales.parent / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    assert "files that streambench did not make" in refused(capsys, sales, *SALES, "--out", out, *overwrite)
    assert (out / "thesis.txt").read_text() == "years of work"


def test_the_input_is_never_overwritten(capsys: pytest.CaptureFixture[str], sales: Path) -> None:
    told = refused(capsys, sales, *SALES, "--out", sales.parent, "--overwrite")
    assert "lies in" in told
    assert sales.read_text() == GOOD


def test_into_needs_a_directory_that_ingest_made(capsys: pytest.CaptureFixture[str], sales: Path) -> None:
    assert "is no directory" in refused(capsys, sales, *SALES, "--into", sales.parent / "nowhere")
    manifest.start(sales.parent / "cut-short")
    assert "is incomplete" in refused(capsys, sales, *SALES, "--into", sales.parent / "cut-short")
    made = sales.parent / "generated"
    manifest.start(made)
    manifest.finish(made, kind="datagen", parameters={}, versions={}, tables={})
    assert "made by datagen" in refused(capsys, sales, *SALES, "--into", made)
