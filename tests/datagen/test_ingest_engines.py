"""Whichever engine does the work, and however a file is cut, the same table, dictionaries and refusals come of it."""

from __future__ import annotations

import csv
import datetime
import io
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingested import MASTER, everything
from pyspark.sql import SparkSession

from streambench.datagen import replay
from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, Summary, ingest
from streambench.datagen.ingest import ingestion as ingest_module
from streambench.datagen.ingest import source as ingest_source
from streambench.datagen.ingest.measure import Measured
from streambench.datagen.ingest.rows import bind
from streambench.datagen.ingest.source import Source
from streambench.datagen.ingest.spark import OnSpark
from streambench.datagen.tables import TABLES

Columns = dict[str, str | tuple[str, ...]]


def sales(draw: random.Random, count: int) -> bytes:
    """A CSV of sales with ties, names, quotes, missing values and lines that cannot be used."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator=draw.choice(["\n", "\r\n"]))
    writer.writerow(["day", "hour", "ticket", "item", "unit price", "n", "who"])
    for _ in range(count):
        moment = datetime.datetime(2016, 12, 31, 23, 59) + datetime.timedelta(seconds=draw.choice([0, 1, 1, 59, 60]))
        row = [
            f"{moment:%d.%m.%Y}",
            f"{moment:%H:%M}",
            draw.choice([*range(4), "NA"] if draw.random() < 0.05 else range(4)),
            draw.choice(["Bread", "bread", "Tee, grün", 'a "quoted" one', "7", "07", "Ärmel", "NONE"]),
            draw.choice(["1.005", "2.675", "-0.125", "1e2", "0", ".5"]),
            draw.choice([1, 2, 3]),
            draw.choice(["", 0, 5, 17, "-1"]),
        ]
        writer.writerow(row)
        if draw.random() < 0.02:
            out.write(draw.choice(["\n", "no,row\n", 'an "odd",line\n', '"open,1\n', "x,y,1,2,3,4,5\n"]))
    return out.getvalue().encode()


SALES = ColumnMapping(
    table="store_sales",
    columns={
        "ts": "day+hour",
        "ticket": "ticket",
        "item": "item",
        "net_paid": 'n * "unit price" / 3',
        "quantity": "n",
        "customer": "who",
    },
    timestamp_format="dd.MM.yyyy HH:mm",
    drop=(("item", "NONE"),),
    where="who IS NULL OR who <> '17'",
    null={"customer": ("0",), "*": ("NA",)},
)
CLICKS = ColumnMapping(
    table="web_clickstreams",
    columns={"ts": "when", "user": "user", "sales": "order", "page": "page"},
    null={"sales": ("0",)},
)
MENU = ColumnMapping(table="item", columns={"item": "name", "category": "kind", "price": "price"})


def clicks(draw: random.Random, count: int) -> pa.Table:
    """Clicks as pandas writes them: nanoseconds, integers with gaps as floats, categories."""
    moments = [draw.choice([0, 999_999_999, 1_000_000_000, 86_399_999_999_999]) for _ in range(count)]
    return pa.table(
        {
            "when": pa.array(moments, pa.timestamp("ns", tz="Asia/Tokyo")),
            "user": pa.array([draw.choice([None, 1.0, 2.0, 2.0]) for _ in range(count)]),
            "order": pa.array([draw.choice([0, None, 3]) for _ in range(count)]),
            "page": pa.array([draw.choice(["/a", "/ä", "", None]) for _ in range(count)]).dictionary_encode(),
        }
    )


def outcome(source: Path, mapping: ColumnMapping, out: Path, **options: Any) -> tuple[Any, ...]:
    """All that an ingest does that must not depend on how it is done; a refusal is one, too."""
    target = {"into" if (out / "manifest.json").exists() else "out": out}
    try:
        made = ingest(source, mapping, **target, **options)  # type: ignore[arg-type]
    except DatagenError as refusal:
        return (str(refusal).replace(str(out), "OUT"),)
    # Spark may write other files with the same rows; how large they are is told as it is.
    written = made.manifest["tables"][mapping.table]["files"]
    assert (made.files, made.bytes) == (len(written), sum((out / name).stat().st_size for name in written))
    ways = ("directory", "manifest", "files", "bytes")
    counts = {name: value for name, value in vars(made).items() if name not in ways}
    tables = {name: (entry["rows"], entry["sha256"]) for name, entry in made.manifest["tables"].items()}
    return counts, tables, made.manifest["parameters"], everything(out / "dictionaries")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.usefixtures("one_spark")
def test_spark_and_this_process_write_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Sales, then clicks and a menu into the same directory, with new names that move the codes of what is there."""
    draw = random.Random(seed)
    monkeypatch.setattr(ingest_source, "_PIECE_BYTES", 1500)  # several tasks
    folder = tmp_path / "sales [1]"
    folder.mkdir()
    for part in range(2):
        (folder / f"{part}.csv").write_bytes(sales(draw, 60))
    pq.write_table(clicks(draw, 50), tmp_path / "clicks.parquet", row_group_size=20)
    names = [draw.choice(["Bread", "bread", "Zopf", "Aal", "7"]) for _ in range(6)]
    menu = "".join(f"{name},{draw.choice(['food', '', 'drink'])},{draw.choice(['1', '2.345', ''])}\n" for name in names)
    (tmp_path / "menu.csv").write_text("name,kind,price\n" + menu)
    results = []
    for engine in ({"engine": "local"}, {"engine": "spark", "master": MASTER}):
        out = tmp_path / str(engine["engine"])
        skip = {"skip_bad_rows": True, **engine}
        results.append(
            [
                outcome(folder, SALES, out, **engine),
                outcome(folder, SALES, out, **skip, partitions=2),
                outcome(tmp_path / "clicks.parquet", CLICKS, out, **skip),
                outcome(tmp_path / "menu.csv", MENU, out, **engine),
                outcome(tmp_path / "menu.csv", MENU, out, **skip),
            ]
        )
    local, spark = results
    assert len(local[1]) == len(local[2]) == len(local[4]) == 4  # not refused
    assert local == spark


def read_in_pieces(file: Path) -> tuple[Measured, pa.Table]:
    """What is known of a file's rows and those that can be used, put together from its pieces as they are cut now."""
    mapping = replace(SALES, where=None)  # which DuckDB takes its time for
    binding = bind(mapping.resolved(TABLES["store_sales"].names), Source.open(file, mapping))
    whole, kept = Measured(), []
    for piece in binding.source.pieces():
        part = Measured()
        for judged in binding.judged(piece):
            part.add(Measured.of(judged, binding))
            kept.append(judged.kept(0))
        whole.add(part)
    return whole, pa.Table.from_batches(kept, schema=binding.schema).combine_chunks()


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 400), st.integers(1, 40))
def test_a_file_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, draw: random.Random, piece_bytes: int, batch_rows: int
) -> None:
    """What Spark's tasks read, one by one: lines that begin in their part of the file, in batches of any size."""
    file = tmp_path_factory.mktemp("cut") / "sales.csv"
    file.write_bytes(sales(draw, draw.randint(1, 40)))
    whole = read_in_pieces(file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest_source, "_PIECE_BYTES", piece_bytes)
        patch.setattr("streambench.datagen.ingest.csv._BATCH_ROWS", batch_rows)
        assert read_in_pieces(file) == whole


@pytest.mark.usefixtures("one_spark")
def test_spark_tells_an_error_of_its_tasks_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("when,ticket,item,n\n2020-01-01 00:00:00,1,1,1\n2020-01-01 00:00:00,1,1,x\n")
    mapping = ColumnMapping(
        table="store_sales", columns={"ts": "when", "ticket": "ticket", "item": "item"}, where="n::INT > 0"
    )
    local = outcome(tmp_path / "sales.csv", mapping, tmp_path / "out")
    spark = outcome(tmp_path / "sales.csv", mapping, tmp_path / "out", engine="spark", master=MASTER)
    assert "fails on a row: Conversion Error: Could not convert string 'x'" in local[0]
    assert local == spark
    assert not (tmp_path / "out").exists()


def test_executors_are_given_whole_paths_and_name_a_file_they_lack(
    one_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("sales.csv")
    file.write_text("when,ticket,item\n2020-01-01 00:00:00,1,1\n")
    mapping = ColumnMapping(table="store_sales", columns={"ts": "when", "ticket": "ticket", "item": "item"})
    work = OnSpark(one_spark, bind(mapping.resolved(TABLES["store_sales"].names), Source.open(file, mapping)), tmp_path)
    assert work.measure().read == 1
    file.unlink()
    with pytest.raises(DatagenError, match=rf"^an executor \(\S+\) does not see {tmp_path / file}: put it on a file"):
        work.measure()


def test_rows_that_executors_write_elsewhere_are_missed(
    one_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = one_spark.range(3)
    written = replay.write_all(rows, tmp_path / "out", "rows")
    assert sum(pq.read_metadata(each).num_rows for each in written) == 3
    monkeypatch.setattr(replay, "for_writing", lambda path: f"file://{tmp_path}/elsewhere")
    with pytest.raises(DatagenError, match=r"^Spark wrote 3 rows but only 0 arrived, as an executor does not see"):
        replay.write_all(rows, tmp_path / "lacking", "rows")


def engine_of(monkeypatch: pytest.MonkeyPatch, file: Path, **options: Any) -> str:
    """Which engine `ingest` chooses; it goes no further."""

    def chosen(binding: Any, target: Any, local: bool, *rest: Any) -> Any:
        raise DatagenError("local" if local else "spark")

    monkeypatch.setattr(ingest_module, "_engine", chosen)
    columns: Columns = {"ts": "when", "ticket": "ticket", "item": "item"}
    with pytest.raises(DatagenError) as stopped:
        ingest(file, ColumnMapping(table="store_sales", columns=columns), out=file.parent / "out", **options)
    return str(stopped.value)


def test_the_engine_is_chosen_by_size_unless_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("when,ticket,item\n2020-01-01 00:00:00,1,1\n")
    assert engine_of(monkeypatch, file) == "local"
    assert engine_of(monkeypatch, file, engine="spark") == "spark"
    assert engine_of(monkeypatch, file, master="local[1]") == "spark"
    assert "leave it out" in engine_of(monkeypatch, file, engine="local", master="local[1]")
    assert "'flink' is no engine of ingest" in engine_of(monkeypatch, file, engine="flink")
    monkeypatch.setattr(ingest_module, "LOCAL_BYTES", file.stat().st_size - 1)
    assert engine_of(monkeypatch, file) == "spark"
    assert engine_of(monkeypatch, file, engine="local") == "local"


def test_a_summary_says_what_a_dry_run_of_a_part_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_module, "LOCAL_BYTES", 0)
    monkeypatch.setattr(ingest_module, "PREVIEW_ROWS", 1)
    monkeypatch.setattr("streambench.datagen.ingest.csv._BATCH_ROWS", 2)
    file = tmp_path / "sales.csv"
    file.write_text("when,ticket,item\n" + "2020-01-01 00:00:00,1,1\n" * 3)
    columns: Columns = {"ts": "when", "ticket": "ticket", "item": "item"}
    made: Summary = ingest(file, ColumnMapping(table="store_sales", columns=columns), dry_run=True)
    assert (made.whole, made.read) == (False, 2)
