"""Tables of one directory fit together: one dictionary of items for all, and a failure leaves it as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ingested import everything, names, rows

from streambench.datagen import manifest
from streambench.datagen.content import content_hash
from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest import ColumnMapping, Summary, ingest
from streambench.datagen.ingest import target as ingest_target

SALES = ColumnMapping(table="store_sales", columns={"ts": "when", "ticket": "ticket", "item": "item"})
CLICKS = ColumnMapping(
    table="web_clickstreams",
    columns={"ts": "when", "user": "user", "item": "item", "sales": "order", "page": "page"},
)
MENU = ColumnMapping(table="item", columns={"item": "name", "category": "kind", "price": "price"})
PAGES = ColumnMapping(table="web_page", columns={"page": "url", "type": "type"})


def write_csv(file: Path, *lines: str) -> Path:
    file.write_text("\n".join(lines) + "\n")
    return file


def clicks(folder: Path) -> Path:
    """Clicks as pandas writes them: a folder, nanoseconds, integers with gaps as floats."""
    folder.mkdir()
    for part, moments, users, items, orders in (
        (1, [5_000_000_000, 3_999_999_999], [7.0, None], ["Cake", "Apple"], [None, 10.0]),
        (2, [3_000_000_000, 3_000_000_001], [2.0, 2.0], ["Tea", None], [None, None]),
    ):
        table = pa.table(
            {
                "when": pa.array(moments, pa.timestamp("ns")),
                "user": pa.array(users, pa.float64()),
                "item": items,
                "order": pa.array(orders, pa.float64()),
                "page": ["/menu", "/cart"],
            }
        )
        pq.write_table(table, folder / f"{part}.parquet")
    return folder


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Summary]]:
    """Sales first, then clicks, a menu and pages that bring names the sales did not have."""
    folder = tmp_path_factory.mktemp("shop")
    out = folder / "out"
    sales = write_csv(
        folder / "sales.csv",
        "when,ticket,item",
        "2020-01-01 10:00:00,1,Tea",
        "2020-01-01 10:00:00,1,Bread",
        "2020-01-01 09:00:00,0,Tea",
    )
    menu = write_csv(
        folder / "menu.csv", "name,kind,price", "Tea,drink,1.50", "Bread,food,2", "Water,drink,", "Apple,,0.2"
    )
    pages = write_csv(folder / "pages.csv", "url,type", "/menu,dynamic", "/cart,order", "/help,general")
    made = [ingest(sales, SALES, out=out)]
    made.append(ingest(clicks(folder / "clicks"), CLICKS, into=out))
    made.append(ingest(menu, MENU, into=out))
    made.append(ingest(pages, PAGES, into=out))
    return out, made


def test_items_have_one_dictionary_with_the_names_of_all_tables(shop: tuple[Path, list[Summary]]) -> None:
    out, made = shop
    assert names(out, "item") == ["Apple", "Bread", "Cake", "Tea", "Water"]
    listed = made[-1].manifest["dictionaries"]
    assert {listed[column] for column in ("ss_item_sk", "wcs_item_sk", "i_item_sk")} == {"dictionaries/item.parquet"}
    assert listed["wcs_web_page_sk"] == listed["wp_web_page_sk"] == "dictionaries/page.parquet"


def test_tables_that_were_there_keep_their_rows_and_order_under_the_new_codes(
    shop: tuple[Path, list[Summary]],
) -> None:
    item = names(shop[0], "item")
    found = [(row["ss_ticket_number"], item[row["ss_item_sk"]]) for row in rows(shop[0], "store_sales")]
    assert found == [(0, "Tea"), (1, "Bread"), (1, "Tea")]


def test_tables_whose_codes_moved_are_encoded_as_those_that_stayed(shop: tuple[Path, list[Summary]]) -> None:
    def encodings(table: str) -> set[tuple[str, tuple[str, ...]]]:
        (file,) = (shop[0] / table).glob("part-*.parquet")
        group = pq.ParquetFile(file).metadata.row_group(0)
        columns = [group.column(place) for place in range(group.num_columns)]
        return {(column.compression, tuple(sorted(column.encodings))) for column in columns}

    # The sales were written anew when the clicks brought names, the clicks when the menu did.
    assert encodings("store_sales") == encodings("web_clickstreams") == {("LZ4", ("DELTA_BINARY_PACKED", "RLE"))}


def test_clicks_are_there_in_replay_order_with_their_nulls(shop: tuple[Path, list[Summary]]) -> None:
    out, _ = shop
    item, page = [*names(out, "item"), None], [*names(out, "page"), None]
    found = [
        (
            row["wcs_click_date_sk"],
            row["wcs_click_time_sk"],
            row["wcs_user_sk"],
            row["wcs_sales_sk"],
            item[-1 if row["wcs_item_sk"] is None else row["wcs_item_sk"]],
            page[-1 if row["wcs_web_page_sk"] is None else row["wcs_web_page_sk"]],
        )
        for row in rows(out, "web_clickstreams")
    ]
    assert found == [
        (25_567, 3, None, 10, "Apple", "/cart"),
        (25_567, 3, 2, None, None, "/cart"),
        (25_567, 3, 2, None, "Tea", "/menu"),
        (25_567, 5, 7, None, "Cake", "/menu"),
    ]


def test_dimension_tables_hold_categories_and_types_under_the_same_keys(shop: tuple[Path, list[Summary]]) -> None:
    out, made = shop
    item, category, page = names(out, "item"), names(out, "category"), names(out, "page")
    assert category == ["drink", "food"]
    found = [
        (
            item[row["i_item_sk"]],
            row["i_category_id"],
            row["i_category"],
            row["i_current_price"] and str(row["i_current_price"]),
        )
        for row in rows(out, "item")
    ]
    assert found == [
        ("Apple", None, None, "0.20"),
        ("Bread", 1, "food", "2.00"),
        ("Tea", 0, "drink", "1.50"),
        ("Water", 0, "drink", None),
    ]
    assert [(page[row["wp_web_page_sk"]], row["wp_type"]) for row in rows(out, "web_page")] == [
        ("/cart", "order"),
        ("/help", "general"),
        ("/menu", "dynamic"),
    ]
    assert made[-1].notes == []


def test_the_manifest_counts_and_hashes_what_is_there_now(shop: tuple[Path, list[Summary]]) -> None:
    out, _ = shop
    held = manifest.read(out)
    assert set(held["tables"]) == {"store_sales", "web_clickstreams", "item", "web_page"}
    for described in held["tables"].values():
        files = [out / file for file in described["files"]]
        assert (described["rows"], described["sha256"]) == content_hash(files)


def test_a_table_that_is_there_needs_overwrite_and_then_only_it_is_replaced(
    shop: tuple[Path, list[Summary]], tmp_path: Path
) -> None:
    out, _ = shop
    pages = write_csv(tmp_path / "pages.csv", "url,type", "/menu,general")
    with pytest.raises(DatagenError, match="already holds web_page: add --overwrite"):
        ingest(pages, PAGES, into=out)
    before = everything(out)
    summary = ingest(pages, PAGES, into=out, overwrite=True)
    assert [row["wp_type"] for row in rows(out, "web_page")] == ["general"]
    assert [note for note in summary.notes if "'dynamic'" in note]
    after = everything(out)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert {name.split("/")[0] for name in changed} <= {"manifest.json", "web_page", "dictionaries"}


@pytest.mark.parametrize("step", ["begin", "_move_in", "finish"])
def test_a_failure_leaves_the_directory_as_it_was(
    shop: tuple[Path, list[Summary]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    out, _ = shop
    before = everything(out)
    menu = write_csv(tmp_path / "menu.csv", "name,kind,price", "Aardvark,new,1")

    def failing(work: Any) -> Any:
        def fail(*args: Any, **kwargs: Any) -> None:
            if step != "finish":
                work(*args, **kwargs)
            raise KeyboardInterrupt

        return fail

    owner = ingest_target.manifest if step == "finish" else ingest_target.Target
    monkeypatch.setattr(owner, step, failing(getattr(owner, step)))
    with pytest.raises(KeyboardInterrupt):
        ingest(menu, MENU, into=out, overwrite=True)
    assert everything(out) == before


def test_a_failure_leaves_no_new_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sales = write_csv(tmp_path / "sales.csv", "when,ticket,item", "2020-01-01 10:00:00,1,Tea")

    def fail(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest_target.manifest, "finish", fail)
    with pytest.raises(KeyboardInterrupt):
        ingest(sales, SALES, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_names_cannot_join_a_table_whose_keys_are_integers(tmp_path: Path) -> None:
    sales = write_csv(tmp_path / "sales.csv", "when,ticket,item", "2020-01-01 10:00:00,1,5")
    ingest(sales, SALES, out=tmp_path / "out")
    menu = write_csv(tmp_path / "menu.csv", "name,kind,price", "Tea,drink,1")
    with pytest.raises(DatagenError, match=r"item keys of store_sales as integers, .* ingest store_sales again with"):
        ingest(menu, MENU, into=tmp_path / "out")
    named = write_csv(tmp_path / "named.csv", "name,kind,price", "5,1,1")
    ingest(named, MENU, into=tmp_path / "out")
    assert [(row["i_item_sk"], row["i_category_id"], row["i_category"]) for row in rows(tmp_path / "out", "item")] == [
        (5, 1, None)
    ]


def test_a_key_that_comes_twice_is_refused_or_its_first_row_stays(tmp_path: Path) -> None:
    menu = write_csv(tmp_path / "menu.csv", "name,kind,price", "Tea,b,1", "Tea,a,2", "Bun,c,1", "Tea,c,1")
    with pytest.raises(DatagenError, match="each key once, and 1 come more than once, such as 'Tea'"):
        ingest(menu, MENU, out=tmp_path / "out")
    summary = ingest(menu, MENU, out=tmp_path / "out", skip_bad_rows=True)
    assert (summary.read, summary.skipped, summary.kept) == (4, 2, 2)
    assert [row["i_category"] for row in rows(tmp_path / "out", "item")] == ["c", "b"]
