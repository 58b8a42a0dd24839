"""A row that cannot be used is never lost in silence: it is refused with its place, or skipped and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ingested import rows

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.lab.cli import main

COLUMNS = {"ts": "when", "ticket": "ticket", "item": "item", "net_paid": "paid"}
HEADER = "when,ticket,item,paid\n"
GOOD = "2020-01-01 00:00:0{0},{0},{0},1.00\n"


def refusal(file: Path, **options: Any) -> str:
    """The sentence with which the file is refused; nothing may be left behind."""
    out = file.parent / "out"
    mapping = ColumnMapping(table="store_sales", columns=dict(COLUMNS), **options)
    with pytest.raises(DatagenError) as refused:
        ingest(file, mapping, out=out)
    assert not out.exists()
    return str(refused.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("yesterday,3,3,1\n", "(when = 'yesterday')"),
        (",3,3,1\n", "(when = (empty))"),
        ("2020-01-01 00:00:03,-3,3,1\n", "ss_ticket_number must not be negative (ticket = '-3')"),
        ("2020-01-01 00:00:03,3,,1\n", "ss_item_sk must not be empty (item = (empty))"),
        ("2020-01-01 00:00:03,3,3,\n", "ss_net_paid must not be empty once it is mapped"),
        ("2020-01-01 00:00:03,3,3,100000\n", "ss_net_paid (decimal(7,2)) cannot be made of it (paid = '100000')"),
        ("2020-01-01 00:00:03,3,3,$5\n", "(paid = '$5')"),
        ("2020-01-01 00:00:03,3,3,1,extra\n", "or more or fewer values than there are columns"),
        ("2020-01-01 00:00:03,3\n", "than there are columns ('2020-01-01 00:00:03,3')"),
        ('2020-01-01 00:00:03,3,"open,1\n', "than there are columns"),
    ],
)
def test_the_first_bad_row_is_shown_with_its_line(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(HEADER + GOOD.format(1) + "\n" + GOOD.format(2) + line + GOOD.format(4) + line)
    told = refusal(file)
    assert told.startswith("2 rows of 5 cannot be used, the first is line 5 of sales.csv: ")
    assert words in told
    assert "--skip-bad-rows" in told


def test_bad_rows_are_skipped_and_counted_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    bad = ["never,3,3,1\n", "2020-01-01 00:00:03,-3,3,1\n", "2020-01-01 00:00:03,3\n"]
    file.write_text(HEADER + bad[0] + GOOD.format(2) + bad[1] + GOOD.format(1) + "x,1,DROP,1\n" + bad[2])
    mapping = ColumnMapping(table="store_sales", columns=dict(COLUMNS), drop=(("item", "DROP"),))
    summary = ingest(file, mapping, out=tmp_path / "out", skip_bad_rows=True)
    assert (summary.read, summary.left_out, summary.skipped, summary.kept) == (6, 1, 3, 2)
    assert [row["ss_ticket_number"] for row in rows(tmp_path / "out", "store_sales")] == [1, 2]
    counted = summary.manifest["parameters"]["tables"]["store_sales"]["rows"]
    assert counted == {"read": 6, "left_out": 1, "skipped": 3, "kept": 2}


def test_a_bad_row_of_a_parquet_file_is_shown_by_its_number(tmp_path: Path) -> None:
    table = pa.table(
        {"when": ["2020-01-01 00:00:00"] * 3, "ticket": [0, 1, -1], "item": [1.0, 2.0, 3.0], "paid": [1, 1, 1]}
    )
    pq.write_table(table, tmp_path / "sales.parquet")
    assert "1 row of 3 cannot be used, the first is row 2 (from 0) of sales.parquet" in refusal(
        tmp_path / "sales.parquet"
    )
    table = table.set_column(1, "ticket", pa.array([0, 1, 2])).set_column(2, "item", pa.array([1.0, 2.5, None]))
    pq.write_table(table, tmp_path / "sales.parquet")
    assert "2 rows of 3 cannot be used, the first is row 1" in refusal(tmp_path / "sales.parquet")


def test_bytes_that_are_not_in_the_encoding_are_refused_and_the_right_encoding_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    file.write_bytes((HEADER + "2020-01-01 00:00:01,1,Café,1\n").encode("cp1252"))
    assert "ss_item_sk cannot be made of it, it holds bytes that are not in the encoding" in refusal(file)
    mapping = ColumnMapping(table="store_sales", columns=dict(COLUMNS), encoding="cp1252")
    ingest(file, mapping, out=tmp_path / "out")
    assert pq.read_table(tmp_path / "out" / "dictionaries" / "item.parquet")["name"].to_pylist() == ["Café"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"where": "ticket > "}, "The condition --where 'ticket > ' does not fit the file"),
        ({"where": "price > 1"}, "The condition --where 'price > 1' does not fit the file"),
        ({"where": "ticket"}, "is a VARCHAR, not true or false"),
        ({"where": "'x' > 1"}, "'x'"),
        ({"where": "ticket::INT > 100"}, "No row of sales.csv is left: 1 were read, 1 left out"),
        ({"drop": (("item", "1"),)}, "No row of sales.csv is left: 1 were read, 1 left out"),
        ({"timestamp_format": "yyyy-bbbb"}, "is no date and time pattern"),
    ],
)
def test_a_condition_or_format_that_leaves_nothing_or_means_nothing_is_refused(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(HEADER + GOOD.format(1))
    assert words in refusal(file, **options)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ([], "streambench: 1 row of 1 cannot be used, the first is line 2 of sales.csv"),
        (
            ["--where", '"when"::INT > 5'],
            "streambench: The condition --where '\"when\"::INT > 5' fails on a row: Conversion",
        ),
    ],
)
def test_the_command_tells_bad_rows_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], extra: list[str], words: str
) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(HEADER + "never,1,1,1\n")
    maps = [word for name, column in COLUMNS.items() for word in ("--map", f"{name}={column}")]
    arguments = ["data", "ingest", str(file), "--table", "store_sales", *maps, *extra, "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as stopped:
        main([*arguments])
    told = capfd.readouterr()
    assert (stopped.value.code, told.out) == (1, "")
    assert told.err.strip().startswith(words)
    assert len(told.err.strip().splitlines()) == 1
