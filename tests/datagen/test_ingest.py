"""What ingest writes holds exactly what the user's files say: every row, to the second, under the user's own names."""

from __future__ import annotations

import csv
import datetime
import random
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ingested import names, rows, seconds

from streambench.datagen.ingest import ColumnMapping, Summary, ingest
from streambench.datagen.tables import TABLES
from streambench.lab.cli import main

COLUMNS = {"ts": "Date+Time", "ticket": "Transaction", "item": "Item"}
NAMES = [
    "Bread",
    "bread",
    "Coffee",
    "Ella's Kitchen",
    'a "quoted", name',
    "Café",
    "Zürich",
    "Ärmel",
    "tea ",
    "100",
    "Z",
]


@dataclass
class Bakery:
    """A small file in the shape of a bakery's till roll, what it holds, and what ingest made of it."""

    file: Path
    sold: list[tuple[str, str, int, str]]
    summary: Summary

    @property
    def path(self) -> Path:
        return self.summary.directory


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Bakery:
    folder = tmp_path_factory.mktemp("my bakery [1]")  # a path that Spark and DuckDB would take for a pattern
    draw = random.Random(7)
    sold = []
    for ticket in range(120):
        # Around midnight and the hours at which Europe's clocks change, so that a shifted zone would show.
        moment = datetime.datetime(2017, 3, 26, 0, 30) + datetime.timedelta(seconds=ticket * 97 - 3600)
        for _ in range(draw.randint(1, 6)):
            moment += datetime.timedelta(seconds=draw.choice([0, 0, 1, 1900]))
            name = draw.choice([*NAMES, "NONE"])
            sold.append((f"{moment:%Y-%m-%d}", f"{moment:%H:%M:%S}", ticket, name))
    draw.shuffle(sold)
    file = folder / "till roll.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(["Date", "Time", "Transaction", "Item"])
        writer.writerows(sold)
    mapping = ColumnMapping(table="store_sales", columns=dict(COLUMNS), drop=(("Item", "NONE"),))
    out = tmp_path_factory.mktemp("data") / "bakery"
    summary = ingest(file, mapping, out=out, partitions=3)
    return Bakery(file, sold, summary)


def test_every_row_is_there_to_the_second_in_replay_order_and_the_rest_is_null(bakery: Bakery) -> None:
    code = {name: rank for rank, name in enumerate(sorted(NAMES, key=lambda name: name.encode()))}
    wanted = sorted((seconds(d, t), ticket, code[name]) for d, t, ticket, name in bakery.sold if name != "NONE")
    found = rows(bakery.path, "store_sales")
    assert [
        (row["ss_sold_date_sk"] * 86_400 + row["ss_sold_time_sk"], row["ss_ticket_number"], row["ss_item_sk"])
        for row in found
    ] == wanted
    assert all(0 <= row["ss_sold_time_sk"] < 86_400 for row in found)
    mapped = {"ss_sold_date_sk", "ss_sold_time_sk", "ss_ticket_number", "ss_item_sk"}
    assert all(value is None for row in found for name, value in row.items() if name not in mapped)


def test_every_column_of_the_table_exists_with_its_type(bakery: Bakery) -> None:
    types = {"bigint": "int64", "int": "int32", "decimal(7,2)": "decimal128(7, 2)", "string": "string"}
    wanted = [(name, types[kind]) for name, kind in TABLES["store_sales"].columns]
    files = list((bakery.path / "store_sales").glob("*.parquet"))
    assert files
    for file in files:
        assert [(field.name, str(field.type)) for field in pq.read_schema(file)] == wanted


def test_a_code_is_the_rank_of_its_name_in_binary_order(bakery: Bakery) -> None:
    assert names(bakery.path) == sorted(NAMES, key=lambda name: name.encode())


def test_several_files_hold_the_stream_in_name_order(bakery: Bakery) -> None:
    listed = bakery.summary.manifest["tables"]["store_sales"]["files"]
    assert listed == sorted(listed)
    assert len(listed) > 1


def test_the_summary_counts_every_row_once(bakery: Bakery) -> None:
    summary, none = bakery.summary, sum(name == "NONE" for *_, name in bakery.sold)
    assert (summary.read, summary.left_out, summary.skipped) == (len(bakery.sold), none, 0)
    assert summary.kept == len(bakery.sold) - none == bakery.summary.manifest["tables"]["store_sales"]["rows"]
    times = [seconds(d, t) for d, t, _, name in bakery.sold if name != "NONE"]
    assert (summary.first, summary.last) == (min(times), max(times))
    tickets = {ticket for _, _, ticket, name in bakery.sold if name != "NONE"}
    assert summary.distinct == {"ss_ticket_number": len(tickets), "ss_item_sk": len(NAMES)}
    assert summary.dictionaries == {"item": len(NAMES)}


def test_the_manifest_tells_what_was_done_and_nothing_unfinished_is_left(bakery: Bakery) -> None:
    made = bakery.summary.manifest
    assert made["kind"] == "ingest"
    assert made["dictionaries"] == {"ss_item_sk": "dictionaries/item.parquet"}
    described = made["parameters"]["tables"]["store_sales"]
    assert described["source"] == "till roll.csv"
    assert described["keys"] == {"ss_ticket_number": "integer", "ss_item_sk": "dictionary"}
    assert {entry.name for entry in bakery.path.iterdir()} == {"manifest.json", "store_sales", "dictionaries"}


def test_pair_counts_by_hour_are_those_of_the_file_itself(bakery: Bakery) -> None:
    # A pair counts in the hour of its newer item, in a ticket's first line of each (as Q1 has it).
    pairs = """
        WITH firsts AS (SELECT ticket, name, min(ts) AS ts FROM sold GROUP BY ALL)
        SELECT greatest(a.ts, b.ts) // 3600 AS hour, a.name, b.name, count(*) AS n
        FROM firsts a JOIN firsts b ON a.ticket = b.ticket AND a.name < b.name GROUP BY ALL ORDER BY ALL"""
    from_file = f"""CREATE TEMP VIEW sold AS SELECT "Transaction"::BIGINT AS ticket, "Item" AS name,
        epoch("Date"::DATE + "Time"::TIME)::BIGINT + 2208988800 AS ts
        FROM read_csv('{str(bakery.file).replace("[", "?").replace("]", "?")}', all_varchar = true, header = true)
        WHERE "Item" <> 'NONE'"""
    from_tables = f"""CREATE TEMP VIEW sold AS SELECT ss_ticket_number AS ticket, name,
        ss_sold_date_sk * 86400 + ss_sold_time_sk AS ts
        FROM '{bakery.path}/store_sales/*.parquet'
        JOIN '{bakery.path}/dictionaries/item.parquet' ON code = ss_item_sk"""
    answers = []
    for view in (from_file, from_tables):
        with duckdb.connect() as connection:
            connection.execute(view)
            answers.append(connection.execute(pairs).fetchall())
    assert answers[0] == answers[1]
    assert len(answers[0]) > 100


def test_a_toml_mapping_on_the_command_line_gives_the_same_table(
    bakery: Bakery, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mapping = tmp_path / "bakery.toml"
    mapping.write_text(
        'table = "store_sales"\n[columns]\nts = ["Date", "Time"]\nticket = "Transaction"\nss_item_sk = "Item"\n'
        '[timestamp]\nformat = "yyyy-MM-dd HH:mm:ss"\n[drop]\nItem = "NONE"\n'
    )
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as stopped:
        main(["data", "ingest", str(bakery.file), "--mapping", str(mapping), "--out", str(out)])
    assert stopped.value.code == 0
    told = capsys.readouterr().out
    assert f"rows kept                       {bakery.summary.kept}" in told
    sizes = [file.stat().st_size for file in (out / "store_sales").glob("*.parquet")]
    assert sizes
    assert f"written                         {bakery.summary.kept} rows, {sum(sizes):,} bytes in 1 file" in told
    assert rows(out, "store_sales") == rows(bakery.path, "store_sales")
    assert names(out) == names(bakery.path)


def test_equal_rows_keep_the_order_of_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for part in range(3):
        quantities = range(part * 50, part * 50 + 50)
        lines = "".join(f"2020-01-01 00:00:00;1;7;{quantity}\n" for quantity in quantities)
        (folder / f"{part}.csv").write_text(lines)
    mapping = ColumnMapping(
        table="store_sales",
        columns={"ts": "_c0", "ticket": "_c1", "item": "_c2", "quantity": "_c3"},
        delimiter=";",
        header=False,
    )
    ingest(folder, mapping, out=tmp_path / "out", partitions=2)
    found = rows(tmp_path / "out", "store_sales")
    assert [row["ss_quantity"] for row in found] == list(range(150))
    assert {row["ss_item_sk"] for row in found} == {7}


def test_numbers_that_are_no_plain_integers_become_names(tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(
        "when,ticket,item,store,who,paid\n"
        "1,4611686018427387903,7,10,x1,1.5\n"  # one text among numbers makes a column one of names
        "2,2,007,20,12,99999.99\n"
        "3,3,7,,,0\n"
        "4,4,-7,NA,3,-2\n"
    )
    mapping = ColumnMapping(
        table="store_sales",
        columns={
            "ts": "when",
            "ticket": "ticket",
            "item": "item",
            "store": "store",
            "customer": "who",
            "net_paid": "paid",
        },
        timestamp_format="epoch",
        null={"store": ("NA",)},
        dictionary=("store",),
    )
    summary = ingest(file, mapping, out=tmp_path / "out")
    found = rows(tmp_path / "out", "store_sales")
    assert [row["ss_ticket_number"] for row in found] == [4611686018427387903, 2, 3, 4]
    assert names(tmp_path / "out", "item") == ["-7", "007", "7"]
    assert [row["ss_item_sk"] for row in found] == [2, 1, 2, 0]
    assert names(tmp_path / "out", "store") == ["10", "20"]
    assert [row["ss_store_sk"] for row in found] == [0, 1, None, None]
    assert names(tmp_path / "out", "customer") == ["12", "3", "x1"]
    assert [row["ss_customer_sk"] for row in found] == [2, 0, None, 1]
    assert [str(row["ss_net_paid"]) for row in found] == ["1.50", "99999.99", "0.00", "-2.00"]
    assert summary.distinct["ss_store_sk"] == 2


@pytest.mark.parametrize("largest", [2**62, 2**63 - 1])
def test_keys_that_no_query_reads_get_a_dictionary(tmp_path: Path, largest: int) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(f"when,ticket,item\n1,{largest},7\n2,12,7\n3,{largest},8\n4,{2**62 - 1},8\n")
    columns = {"ts": "when", "ticket": "ticket", "item": "item"}
    mapping = ColumnMapping(table="store_sales", columns=columns, timestamp_format="epoch")
    ingest(file, mapping, out=tmp_path / "out")
    tickets = names(tmp_path / "out", "ticket")
    assert tickets == sorted(map(str, {largest, 12, 2**62 - 1}))
    found = [row["ss_ticket_number"] for row in rows(tmp_path / "out", "store_sales")]
    assert [tickets[code] for code in found] == [str(largest), "12", str(largest), str(2**62 - 1)]
    with pytest.raises(SystemExit) as stopped:
        main(["run", "q1", "--data", str(tmp_path / "out")])
    assert stopped.value.code == 0


def test_items_too_large_to_pair_get_a_dictionary(tmp_path: Path) -> None:
    items = [2**31, 5, 2**40]
    table = pa.table({"date": [42001, 42001, 42000], "time": [0, 1, 86_399], "ticket": [1, 1, 0], "item": items})
    pq.write_table(table, tmp_path / "sales.parquet")
    columns = {"date_sk": "date", "time_sk": "time", "ticket": "ticket", "item": "item"}
    ingest(
        tmp_path / "sales.parquet",
        ColumnMapping(table="store_sales", columns=columns),
        out=tmp_path / "out",
    )
    assert names(tmp_path / "out") == sorted(map(str, items))
    found = rows(tmp_path / "out", "store_sales")
    assert [(row["ss_sold_date_sk"], row["ss_sold_time_sk"]) for row in found] == [
        (42000, 86_399),
        (42001, 0),
        (42001, 1),
    ]
    assert [names(tmp_path / "out")[row["ss_item_sk"]] for row in found] == [str(2**40), str(2**31), "5"]
