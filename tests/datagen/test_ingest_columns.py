"""Every legal choice of mapped columns makes a table; queries that lack a column say so, the others run and check."""

from __future__ import annotations

import datetime
import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingested import MASTER, rows

from streambench.datagen.ingest import ColumnMapping, ingest
from streambench.datagen.tables import TABLES
from streambench.errors import StreambenchError
from streambench.lab import run

EVENTS = [(3, "red", 0), (4, "red", 1), (9, "blue", 0), (10, "red", 0), (21, "green", 0), (22, "black", 0)]
HATS, SHOES = 0, 1  # by their names' ranks
OPTIONAL = ("item", "sales", "page")
SUBSETS = [subset for n in range(4) for subset in itertools.combinations(OPTIONAL, n)]


def clicks(file: Path, count: int = 40) -> Path:
    """Clicks of three users on three items and pages, an order now and then; with ties in every column."""
    draw = random.Random(5)
    lines = ["ts,user,item,sales,page"]
    for _ in range(count):
        moment = datetime.datetime(2016, 1, 1) + datetime.timedelta(seconds=draw.choice([0, 1, 2, 3600, 7300]))
        user, item, page = draw.randint(0, 2), draw.randint(1, 3), draw.randint(0, 2)
        lines.append(f"{moment},{user},{item},{draw.choice(['', '', draw.randint(0, 5)])},{page}")
    file.write_text("\n".join(lines) + "\n")
    return file


def mapping(subset: tuple[str, ...]) -> ColumnMapping:
    return ColumnMapping(table="web_clickstreams", columns={name: name for name in ("ts", "user", *subset)})


def in_order(path: Path, table: str) -> None:
    """The table lies in its replay order, nulls first."""
    layout = TABLES[table]
    keys = [tuple(-1 if row[name] is None else row[name] for name in layout.order_columns) for row in rows(path, table)]
    assert keys == sorted(keys)


@pytest.mark.parametrize("subset", SUBSETS, ids="-".join)
def test_any_columns_of_clicks_may_be_left_out(tmp_path: Path, subset: tuple[str, ...]) -> None:
    made = ingest(clicks(tmp_path / "clicks.csv"), mapping(subset), out=tmp_path / "out")
    found = rows(tmp_path / "out", "web_clickstreams")
    assert made.kept == len(found) == 40
    in_order(tmp_path / "out", "web_clickstreams")
    full = {"item": "wcs_item_sk", "sales": "wcs_sales_sk", "page": "wcs_web_page_sk"}
    for name, column in full.items():
        assert all(row[column] is None for row in found) == (name not in subset)
    (tmp_path / "items.csv").write_text("item,kind\n" + "".join(f"{item},1\n" for item in range(1, 4)))
    items = ColumnMapping(table="item", columns={"item": "item", "category": "kind"})
    ingest(tmp_path / "items.csv", items, into=tmp_path / "out")
    (tmp_path / "pages.csv").write_text("page,kind\n0,dynamic\n1,order\n2,general\n")
    pages = ColumnMapping(table="web_page", columns={"page": "page", "type": "kind"})
    ingest(tmp_path / "pages.csv", pages, into=tmp_path / "out")
    for query, needed in (("q2", "item"), ("q3", "item"), ("q4", "page")):
        if needed in subset:
            result = run(query, data=tmp_path / "out")
            assert (result.answer_ok, result.sequence_ok) == (True, True), query
        else:
            with pytest.raises(StreambenchError) as refused:
                run(query, data=tmp_path / "out")
            told = str(refused.value)
            assert full[needed] in told
            assert "ingest the data again with that column mapped" in told
            assert len(told.splitlines()) == 1


@pytest.mark.parametrize("subset", [(), ("item",), ("page",)], ids="-".join)
@pytest.mark.usefixtures("one_spark")
def test_spark_orders_by_the_columns_that_there_are(tmp_path: Path, subset: tuple[str, ...]) -> None:
    clicks(tmp_path / "clicks.csv")
    made = [
        ingest(tmp_path / "clicks.csv", mapping(subset), out=tmp_path / str(master), master=master)
        for master in (None, MASTER)
    ]
    assert made[0].manifest["tables"] == made[1].manifest["tables"]


SALES = {"store": "shop", "customer": "user", "quantity": "n", "net_paid": "paid", "ss_promo_sk": "promo"}


@settings(max_examples=15)
@given(st.sets(st.sampled_from(sorted(SALES))), st.booleans(), st.booleans())
def test_any_columns_of_sales_may_be_left_out(
    tmp_path_factory: pytest.TempPathFactory, subset: set[str], keys: bool, names: bool
) -> None:
    folder = tmp_path_factory.mktemp("sales")
    draw = random.Random(len(subset))
    lines = [
        f"2016-01-01 00:00:0{draw.randint(0, 3)},{36524 + n % 2},{draw.randint(0, 3)},{draw.randint(0, 3)},"
        f"{'i' * names}{draw.randint(1, 3)},1,{draw.choice(['', 2])},3,4.5,6"
        for n in range(20)
    ]
    (folder / "sales.csv").write_text("ts,day,second,ticket,item,shop,user,n,paid,promo\n" + "\n".join(lines) + "\n")
    time = {"date_sk": "day", "time_sk": "second"} if keys else {"ts": "ts"}
    columns = {**time, "ticket": "ticket", "item": "item", **{name: SALES[name] for name in subset}}
    made = ingest(folder / "sales.csv", ColumnMapping(table="store_sales", columns=columns), out=folder / "out")
    assert made.kept == 20
    in_order(folder / "out", "store_sales")
    result = run("q1", data=folder / "out")
    assert (result.answer_ok, result.sequence_ok) == (True, True)


def test_ad_events_and_ads_by_name_run_ysb(tmp_path: Path) -> None:
    """Ads and campaigns are names, which become codes; an ad that is not in the table of ads is dropped."""
    lines = ["ts,ad,event,user", *(f"2016-01-01 00:00:{s:02},{ad},{kind},u{s}" for s, ad, kind in EVENTS)]
    (tmp_path / "events.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "ads.csv").write_text("ad,campaign\nred,shoes\nblue,shoes\ngreen,hats\n")
    events = ColumnMapping(table="ad_events", columns={name: name for name in ("ts", "ad", "event", "user")})
    ads = ColumnMapping(table="ads", columns={"ad": "ad", "campaign": "campaign"})
    out = tmp_path / "out"
    ingest(tmp_path / "events.csv", events, out=out)
    with pytest.raises(StreambenchError, match="Table ads is missing"):
        run("ysb", out)
    ingest(tmp_path / "ads.csv", ads, into=out)
    in_order(out, "ad_events")
    result = run("ysb", out)
    assert (result.sequence_ok, result.answer_ok) == (True, True)
    assert result.answer is not None
    begin = 86_400 * (datetime.date(2016, 1, 1) - datetime.date(1900, 1, 1)).days
    wanted = [(begin, SHOES, 2), (begin + 20, HATS, 1), (begin + 10, SHOES, 1)]
    assert [tuple(row.values()) for row in result.answer.to_pylist()] == wanted
