"""A mapping means the same however it is given, and what does not fit is told in one sentence that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.mapping import ColumnMapping, drops_from_pairs, from_pairs, nulls_from_pairs
from streambench.datagen.ingest.toml import from_toml
from streambench.datagen.tables import TABLES

BAKERY = """
table = "store_sales"
where = "Price > 0"
dictionary = ["item"]

[columns]
ts = "Date+Time"
ticket = "Transaction"
item = "Item"

[timestamp]
format = "yyyy-MM-dd HH:mm:ss"

[drop]
Item = ["NONE", "Adjustment"]
Kind = "test"

[null]
item = "NA"
"*" = ["", "none"]

[csv]
delimiter = ";"
header = false
encoding = "latin1"
multiline = true
"""


def resolved(mapping: ColumnMapping) -> ColumnMapping:
    return mapping.resolved(TABLES[mapping.table if mapping.table in TABLES else "store_sales"].names)


def toml(folder: Path, text: str) -> Path:
    file = folder / "mapping.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_toml_and_command_line_give_the_same_mapping(tmp_path: Path) -> None:
    by_hand = ColumnMapping(
        table="store_sales",
        columns=from_pairs(["ts=Date+Time", "ticket=Transaction", "item=Item"]),
        timestamp_format="yyyy-MM-dd HH:mm:ss",
        drop=drops_from_pairs(["Item=NONE", "Item=Adjustment", "Kind=test"]),
        where="Price > 0",
        dictionary=("item",),
        null=nulls_from_pairs(["item=NA", "*=", "*=none"]),
        delimiter=";",
        header=False,
        encoding="latin1",
        multiline=True,
    )
    assert from_toml(toml(tmp_path, BAKERY)) == by_hand


def test_short_and_full_names_give_the_same_mapping() -> None:
    short = ColumnMapping(table="web_clickstreams", columns={"ts": "t", "user": "u", "page": "p"}, dictionary=("user",))
    full = ColumnMapping(
        table="web_clickstreams",
        columns={"ts": "t", "wcs_user_sk": "u", "wcs_web_page_sk": "p"},
        dictionary=("wcs_user_sk",),
    )
    assert resolved(short) == resolved(full)


def test_the_command_line_wins_over_toml_and_lists_are_joined(tmp_path: Path) -> None:
    over = ColumnMapping(columns={"item": "Product"}, drop=(("Item", "NONE"), ("Item", "x")), header=True)
    both = over.over(from_toml(toml(tmp_path, BAKERY)))
    assert both.columns == {"ts": "Date+Time", "ticket": "Transaction", "item": "Product"}
    assert both.drop == (("Item", "NONE"), ("Item", "Adjustment"), ("Kind", "test"), ("Item", "x"))
    assert both.header is True
    assert both.table == "store_sales"


def test_a_value_may_hold_the_equals_sign_and_a_drop_may_be_empty() -> None:
    assert from_pairs(["item=a=b"]) == {"item": "a=b"}
    assert drops_from_pairs(["Kind=a=b", "Kind="]) == (("Kind", "a=b"), ("Kind", ""))


SALES = {"ts": "t", "ticket": "k", "item": "i"}


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        (ColumnMapping(columns=SALES), "Say which table"),
        (ColumnMapping(table="sales", columns=SALES), "'sales' is not a table"),
        (ColumnMapping(table="date_dim", columns=SALES), "'date_dim' is not a table"),
        (ColumnMapping(table="store_sales", columns={**SALES, "user": "u"}), "'user' is no column of store_sales"),
        (ColumnMapping(table="store_sales", columns={**SALES, "ss_item_sk": "j"}), "ss_item_sk .* mapped twice"),
        (ColumnMapping(table="store_sales", columns={"ticket": "k", "item": "i"}), "needs the time"),
        (ColumnMapping(table="store_sales", columns={**SALES, "date_sk": "d"}), "time is mapped twice"),
        (ColumnMapping(table="store_sales", columns={"date_sk": "d", "ticket": "k", "item": "i"}), "needs the time"),
        (ColumnMapping(table="store_sales", columns={"ts": "t"}), "needs ticket and item"),
        (ColumnMapping(table="web_clickstreams", columns={"ts": "t"}), "needs user"),
        (ColumnMapping(table="item", columns={"item": "i"}), "needs category"),
        (ColumnMapping(table="web_page", columns={"ts": "t", "page": "i", "type": "k"}), "'ts' is no column"),
        (ColumnMapping(table="store_sales", columns=SALES, dictionary=("store",)), "ss_store_sk, which is not mapped"),
        (
            ColumnMapping(table="store_sales", columns={**SALES, "quantity": "q"}, dictionary=("quantity",)),
            "ss_quantity is not a key",
        ),
    ],
)
def test_a_mapping_that_does_not_fit_its_table_is_refused_by_name(mapping: ColumnMapping, words: str) -> None:
    with pytest.raises(DatagenError, match=words):
        resolved(mapping)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("table = ", "not valid TOML"),
        ("tabel = 'item'", "unknown key 'tabel'"),
        ("[timestamp]\npattern = 'x'", r"unknown key 'pattern' in \[timestamp\]"),
        ("[csv]\nsep = ','", r"unknown key 'sep' in \[csv\]"),
        ("table = 3", "table must be a text"),
        ("[csv]\nheader = 'yes'", "csv.header must be true or false"),
        ("columns = 'item'", r"\[columns\] must be a section"),
        ("[columns]\nitem = 3", "columns.item must be a column of your file"),
        ("[columns]\nitem = ['a', 'b']", "columns.item must be a column of your file"),
        ("[drop]\nItem = [3]", "drop.Item must be a text"),
    ],
)
def test_a_toml_file_that_does_not_fit_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DatagenError, match=words):
        from_toml(toml(tmp_path, text))


def test_a_missing_toml_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatagenError, match=r"no mapping file .*nowhere\.toml"):
        from_toml(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("pair", ["item", "=Item", "item="])
def test_a_pair_without_both_sides_is_refused(pair: str) -> None:
    with pytest.raises(DatagenError, match="not of the form NAME=COLUMN"):
        from_pairs([pair])


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(DatagenError, match="item is given twice"):
        from_pairs(["item=a", "item=b"])


def test_the_example_in_the_documentation_is_a_complete_mapping() -> None:
    example = Path(__file__).parents[2] / "docs" / "examples" / "bakery.toml"
    assert resolved(from_toml(example)).columns == {
        "ts": "Date+Time",
        "ss_ticket_number": "Transaction",
        "ss_item_sk": "Item",
    }
