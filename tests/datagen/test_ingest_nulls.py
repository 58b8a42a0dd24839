"""A text means "no value" in the column it is given for and in no other; every null is counted."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ingested import rows

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.datagen.ingest.mapping import nulls_from_pairs
from streambench.datagen.ingest.toml import from_toml
from streambench.datagen.tables import TABLES
from streambench.lab.cli import main

CLICKS = "when,user,item,sales,page\n" + "".join(
    f"2020-01-01 00:00:0{second},{row}\n" for second, row in enumerate(["0,0,0,0", "1,0,7,NA", "2,NA,,0", "NA,3,0,1"])
)
COLUMNS = {"ts": "when", "user": "user", "item": "item", "sales": "sales", "page": "page"}
TARGETS = ("wcs_user_sk", "wcs_item_sk", "wcs_sales_sk", "wcs_web_page_sk")


def clicks(
    folder: Path, **null: tuple[str, ...]
) -> tuple[list[tuple[int | None, ...]], dict[str, int], dict[str, int]]:
    """The rows' keys, the nulls in each column, and those that --null made."""
    (folder / "clicks.csv").write_text(CLICKS)
    mapping = ColumnMapping(table="web_clickstreams", columns=dict(COLUMNS), null=null)
    made = ingest(folder / "clicks.csv", mapping, out=folder / "out")
    found = [tuple(row[target] for target in TARGETS) for row in rows(folder / "out", "web_clickstreams")]
    return found, made.nulls, made.nulled


def test_a_null_text_of_one_column_leaves_the_others_alone(tmp_path: Path) -> None:
    found, nulls, taken = clicks(tmp_path, sales=("0", "9"), user=("NA",), item=("NA",), page=("NA",))
    assert found == [(0, 0, None, 0), (1, 0, 7, None), (2, None, None, 0), (None, 3, None, 1)]
    assert nulls == dict(zip(TARGETS, (1, 1, 3, 1), strict=True))
    assert taken == dict(zip(TARGETS, (1, 1, 2, 1), strict=True))


def test_a_star_means_every_mapped_column(tmp_path: Path) -> None:
    found, nulls, taken = clicks(tmp_path, **{"*": ("NA", "0"), "item": ("3",)})
    assert found == [(None, None, None, None), (1, None, 7, None), (2, None, None, None), (None, None, None, 1)]
    assert nulls == dict(zip(TARGETS, (2, 4, 3, 3), strict=True))
    assert taken == dict(zip(TARGETS, (2, 4, 2, 3), strict=True))


def test_rows_that_are_left_out_or_skipped_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "clicks.csv").write_text(CLICKS + "never,0,0,0,0\n2020-01-01 00:00:09,-1,0,0,0\n")
    mapping = ColumnMapping(
        table="web_clickstreams",
        columns=dict(COLUMNS),
        drop=(("page", "1"),),
        null={"sales": ("0",), "*": ("NA",)},
    )
    made = ingest(tmp_path / "clicks.csv", mapping, out=tmp_path / "out", skip_bad_rows=True)
    assert (made.kept, made.skipped, made.left_out) == (3, 2, 1)
    assert made.nulled == {"wcs_item_sk": 1, "wcs_sales_sk": 1, "wcs_web_page_sk": 1}
    assert made.nulls == dict(zip(TARGETS, (0, 1, 2, 1), strict=True))


def test_numbers_of_parquet_are_compared_as_they_are_written(tmp_path: Path) -> None:
    table = pa.table({"when": [1, 2, 3], "user": [0, 1, -1], "item": [0.0, 2.0, None], "sales": [-1, 0, 5]})
    pq.write_table(table, tmp_path / "clicks.parquet")
    columns = {name: name for name in ("user", "item", "sales")}
    mapping = ColumnMapping(
        table="web_clickstreams",
        columns={"ts": "when", **columns},
        timestamp_format="epoch",
        null={"user": ("-1",), "item": ("0",), "sales": ("-1",)},
    )
    ingest(tmp_path / "clicks.parquet", mapping, out=tmp_path / "out")
    found = [tuple(row[target] for target in TARGETS[:3]) for row in rows(tmp_path / "out", "web_clickstreams")]
    assert found == [(0, None, None), (1, 2, 0), (None, None, 5)]


def test_in_an_expression_a_null_text_is_one_of_its_columns(tmp_path: Path) -> None:
    lines = "2020-01-01 00:00:00,1,1,2,0\n2020-01-01 00:00:01,1,1,NA,3\n"
    (tmp_path / "sales.csv").write_text("when,ticket,item,n,m\n" + lines)
    mapping = ColumnMapping(
        table="store_sales",
        columns={"ts": "when", "ticket": "ticket", "item": "item", "quantity": "n+m"},
        null={"quantity": ("NA",)},
    )
    made = ingest(tmp_path / "sales.csv", mapping, out=tmp_path / "out")
    assert [row["ss_quantity"] for row in rows(tmp_path / "out", "store_sales")] == [2, None]
    assert made.nulled["ss_quantity"] == made.nulls["ss_quantity"] == 1


def test_the_command_line_toml_and_python_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('[null]\nsales = ["0", "a=b"]\n"*" = "NA"\n')
    wanted = {"sales": ("0", "a=b"), "*": ("NA",)}
    assert from_toml(tmp_path / "m.toml").null == nulls_from_pairs(["sales=0", "sales=a=b", "*=NA"]) == wanted
    over = ColumnMapping(null={"sales": ("-1",), "item": ("x",)}).over(from_toml(tmp_path / "m.toml"))
    assert over.null == {"sales": ("0", "a=b", "-1"), "*": ("NA",), "item": ("x",)}


@pytest.mark.parametrize(
    ("null", "words"),
    [
        ({"shop": ("0",)}, "'shop' is no column of web_clickstreams"),
        ({"page": ("0",)}, "--null names wcs_web_page_sk, which is not mapped"),
        ({"ts": ("0",)}, "--null names the time"),
        ({"wcs_click_date_sk": ("0",)}, "--null names the time"),
    ],
)
def test_a_null_text_for_no_mapped_column_is_refused(null: dict[str, tuple[str, ...]], words: str) -> None:
    mapping = ColumnMapping(table="web_clickstreams", columns={"ts": "t", "user": "u"}, null=null)
    with pytest.raises(DatagenError, match=words):
        mapping.resolved(TABLES["web_clickstreams"].names)


def test_a_null_text_without_a_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatagenError, match=r"write NAME=TEXT, such as --null sales=0, or '\*=0' for every mapped"):
        nulls_from_pairs(["0"])
    (tmp_path / "m.toml").write_text('null = ["0"]\n')
    with pytest.raises(DatagenError, match=r"null must say for which column: a section \[null\]"):
        from_toml(tmp_path / "m.toml")


def test_the_command_prints_the_nulls_of_every_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "clicks.csv").write_text(CLICKS)
    maps = [word for name, column in COLUMNS.items() for word in ("--map", f"{name}={column}")]
    nulls = ["--null", "sales=0", "--null", "*=NA"]
    words = ["data", "ingest", str(tmp_path / "clicks.csv"), "--table", "web_clickstreams", *maps, *nulls]
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--out", str(tmp_path / "out")])
    assert stopped.value.code == 0
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "nulls in wcs_sales_sk 3, 2 by --null" in told
    assert "nulls in wcs_item_sk 1, 1 by --null" in told
