"""A dry run shows what would be written, refuses what would be refused, and writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingested import everything, rows

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, Summary, ingest
from streambench.lab.cli import main

LINES = ["2020-01-01 00:00:02,2,Tea,1.005", "2020-01-01 00:00:01,1,[b]Bread[/b],2", "2020-01-01 00:00:01,1,Aal,"]
SALES = ColumnMapping(
    table="store_sales", columns={"ts": "when", "ticket": "ticket", "item": "item", "ss_list_price": "price"}
)


def write(folder: Path, *lines: str) -> Path:
    (folder / "sales.csv").write_text("\n".join(["when,ticket,item,price", *lines]) + "\n")
    return folder / "sales.csv"


def told(summary: Summary) -> dict[str, object]:
    of_writing = ("directory", "manifest", "preview", "files", "bytes")
    return {name: value for name, value in vars(summary).items() if name not in of_writing}


def test_the_first_rows_are_those_that_would_be_written(tmp_path: Path) -> None:
    file = write(tmp_path, *LINES)
    dry = ingest(file, SALES, out=tmp_path / "out", dry_run=True)
    assert {entry.name for entry in tmp_path.iterdir()} == {"sales.csv"}
    assert dry.manifest == {}
    assert dry.preview is not None
    assert dry.preview.columns == ("ts", "ss_item_sk", "ss_ticket_number", "ss_list_price")
    assert dry.preview.rows == (
        ("2020-01-01 00:00:01", "0 Aal", "1", "null"),
        ("2020-01-01 00:00:01", "2 [b]Bread[/b]", "1", "2.00"),
        ("2020-01-01 00:00:02", "1 Tea", "2", "1.01"),
    )
    made = ingest(file, SALES, out=tmp_path / "out")
    assert told(dry) == told(made)
    codes = [row["ss_item_sk"] for row in rows(tmp_path / "out", "store_sales")]
    assert codes == [int(row[1].split()[0]) for row in dry.preview.rows]


def test_codes_are_those_beside_the_names_that_are_there(tmp_path: Path) -> None:
    ingest(write(tmp_path, *LINES), SALES, out=tmp_path / "out")
    before = everything(tmp_path / "out")
    (tmp_path / "menu.csv").write_text("name,kind\nBun,food\n")
    menu = ColumnMapping(table="item", columns={"item": "name", "category": "kind"})
    dry = ingest(tmp_path / "menu.csv", menu, into=tmp_path / "out", dry_run=True)
    assert dry.preview is not None
    assert dry.preview.rows == (("1 Bun", "0 food"),)
    assert dry.dictionaries == {"item": 4, "category": 1}
    assert everything(tmp_path / "out") == before


def test_what_would_be_refused_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, *LINES, "never,1,1,1")
    with pytest.raises(DatagenError, match=r"line 5 of sales\.csv"):
        ingest(file, SALES, dry_run=True)
    assert ingest(file, SALES, dry_run=True, skip_bad_rows=True).skipped == 1
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(DatagenError, match="files that streambench did not make"):
        ingest(file, SALES, out=tmp_path / "out", dry_run=True)


def test_the_command_shows_a_table_and_says_that_nothing_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, *LINES)
    monkeypatch.chdir(tmp_path)
    maps = [word for name, column in SALES.columns.items() for word in ("--map", f"{name}={column}")]
    with pytest.raises(SystemExit) as stopped:
        main(["data", "ingest", str(file), "--table", "store_sales", *maps, "--dry-run"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert "store_sales as it would be" in shown
    assert "2 [b]Bread[/b]" in shown
    assert "nothing was written" in shown
    assert {entry.name for entry in tmp_path.iterdir()} == {"sales.csv"}
