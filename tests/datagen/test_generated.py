"""What a generated directory holds, measured independently of the product's own check."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from streambench.datagen import check, generate, model
from streambench.datagen.tables import TABLES


def ask(directory: Path, query: str) -> Any:
    """One row of a query in which {table} stands for that table's files."""
    sources = {name: f"read_parquet('{directory / name}/*.parquet')" for name in TABLES}
    with duckdb.connect() as db:
        row = db.execute(query.format(**sources)).fetchone()
    assert row is not None
    return row


def test_the_check_passes_and_covers_every_kind_of_property(generated: Path) -> None:
    report = check(generated)
    assert report.ok, report.failed
    names = [finding.name for finding in report.findings]
    for part in ("content hash", "replay order", "category 2", "hot items", "sales not null", "user not null"):
        assert any(part in name for name in names), part
    assert len(names) > 80


def test_columns_and_types_are_those_of_the_ddl(generated: Path) -> None:
    arrow = {"bigint": "int64", "int": "int32", "string": "string", "decimal(7,2)": "decimal128(7, 2)"}
    for name, table in TABLES.items():
        schema = pq.read_schema(generated / name / "part-00000.parquet")
        assert [(field.name, str(field.type)) for field in schema] == [
            (column, arrow[kind]) for column, kind in table.columns
        ]


def test_shares_of_the_real_slice_are_met(generated: Path) -> None:
    sold, known = ask(
        generated,
        "SELECT count(wcs_sales_sk) / count(*), count(wcs_user_sk) / count(*) FROM {web_clickstreams}",
    )
    assert sold == pytest.approx(0.0981, abs=0.006)
    assert known == pytest.approx(0.578, abs=0.02)


def test_hot_items_exist_below_scale_one(generated: Path) -> None:
    (named,) = ask(
        generated,
        """SELECT count(DISTINCT wcs_item_sk) FROM {web_clickstreams} JOIN {item} ON wcs_item_sk = i_item_sk
           WHERE wcs_item_sk BETWEEN 10000 AND 10003""",
    )
    assert named == 4


def test_every_key_of_the_facts_has_its_dimension_row_or_is_null(generated: Path) -> None:
    """ANTI JOIN gives the nulls, too: clicks of edges, two without item and one without page."""
    assert ask(
        generated,
        """SELECT (SELECT count(*) FROM {store_sales} ANTI JOIN {item} ON ss_item_sk = i_item_sk),
                  (SELECT count(*) FROM {store_sales} ANTI JOIN {date_dim} ON ss_sold_date_sk = d_date_sk),
                  (SELECT count(*) FROM {web_clickstreams} ANTI JOIN {item} ON wcs_item_sk = i_item_sk),
                  (SELECT count(*) FROM {web_clickstreams} ANTI JOIN {web_page} ON wcs_web_page_sk = wp_web_page_sk),
                  (SELECT count(*) FROM {web_clickstreams} ANTI JOIN {date_dim} ON wcs_click_date_sk = d_date_sk)""",
    ) == (0, 0, 2, 1, 0)


def test_the_kits_date_range_is_hit_and_dates_are_days_since_1900(generated: Path) -> None:
    days, first, last = ask(
        generated,
        """SELECT count(DISTINCT d_date), min(d_date), max(d_date)
           FROM {store_sales} JOIN {date_dim} ON ss_sold_date_sk = d_date_sk""",
    )
    assert (days, first, last) == (10, "2001-09-01", "2001-09-10")


def test_visits_of_the_session_profile_are_sessions(generated: Path) -> None:
    """A visit is recognised by its order: the same user's views lead up to it within minutes, none of them null.

    Edges' orders come without such a visit; their numbers are the highest.
    """
    drawn = model.sizes(0.02).orders
    (share,) = ask(
        generated,
        """WITH clicks AS (SELECT *, wcs_click_date_sk * 86400 + wcs_click_time_sk AS ts FROM {web_clickstreams}),
             orders AS (SELECT DISTINCT wcs_sales_sk AS number, wcs_user_sk AS user_sk, ts FROM clicks
                        WHERE wcs_sales_sk < """
        + str(drawn)
        + """),
             views AS (SELECT number, count(c.ts) AS n FROM orders LEFT JOIN clicks c ON c.wcs_user_sk = user_sk
                       AND c.wcs_sales_sk IS NULL AND c.ts BETWEEN orders.ts - 1200 AND orders.ts GROUP BY ALL)
           SELECT avg(CASE WHEN n >= 3 THEN 1 ELSE 0 END) FROM views""",
    )
    assert share == 1


def test_order_and_ticket_numbers_ascend_with_event_time(generated: Path) -> None:
    assert ask(
        generated,
        """SELECT (SELECT count(*) FROM (SELECT ts < lag(ts) OVER (ORDER BY number) AS falls FROM
                     (SELECT wcs_sales_sk AS number, min(wcs_click_date_sk * 86400 + wcs_click_time_sk) AS ts
                      FROM {web_clickstreams} WHERE wcs_sales_sk IS NOT NULL GROUP BY ALL)) WHERE falls),
                  (SELECT count(*) FROM (SELECT ts < lag(ts) OVER (ORDER BY number) AS falls FROM
                     (SELECT ss_ticket_number AS number, min(ss_sold_date_sk * 86400 + ss_sold_time_sk) AS ts
                      FROM {store_sales} GROUP BY ALL)) WHERE falls)""",
    ) == (0, 0)


@pytest.mark.usefixtures("one_spark")
def test_the_pdgf_profile_scatters_a_visit_over_its_day(tmp_path: Path) -> None:
    out = tmp_path / "data"
    generate(out, scale_factor=0.005, profile="pdgf", master="local[2]")
    assert check(out).ok
    (seconds,) = ask(
        out,
        """SELECT median(following - ts) FROM (SELECT ts, lead(ts) OVER (PARTITION BY wcs_user_sk ORDER BY ts) AS
             following FROM (SELECT *, wcs_click_date_sk * 86400 + wcs_click_time_sk AS ts FROM {web_clickstreams}
             WHERE wcs_user_sk IS NOT NULL AND wcs_sales_sk IS NULL))""",
    )
    assert seconds > 1000


@pytest.mark.usefixtures("one_spark")
def test_heavy_tickets_have_the_items_of_a_real_shops(tmp_path: Path) -> None:
    out = tmp_path / "data"
    generate(out, scale_factor=0.05, profile="heavy", master="local[2]")
    assert check(out).ok
    middle, high, most, twice = ask(
        out,
        """SELECT quantile_disc(items, 0.5), quantile_disc(items, 0.99), max(items), count(*) FILTER (items < lines)
           FROM (SELECT count(DISTINCT ss_item_sk) AS items, count(*) AS lines FROM {store_sales}
                 WHERE ss_customer_sk < 22361 GROUP BY ss_ticket_number)""",
    )
    assert (middle, twice) == (pytest.approx(10, abs=1), 0)
    assert high == pytest.approx(199, rel=0.2)
    assert 500 < most <= 1110
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["parameters"]["profile"] == "heavy"
    manifest["parameters"]["profile"] = "session"
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert any("lines per ticket" in finding.name for finding in check(out).failed)


CATEGORIES = """SELECT max(n) / sum(n), min(n) / sum(n) FROM (SELECT count(*) AS n FROM {store_sales}
    JOIN {item} ON ss_item_sk = i_item_sk WHERE i_category_id < 10 GROUP BY i_category_id)"""


@pytest.mark.usefixtures("one_spark")
def test_even_categories_have_equally_many_items_and_nearly_equally_many_rows_of_q15(
    generated: Path, tmp_path: Path
) -> None:
    out = tmp_path / "data"
    generate(out, scale_factor=0.02, days=10, seed=7, profile="even", master="local[2]")
    assert check(out).ok
    most, least = ask(out, CATEGORIES)
    assert 0.09 < least < 1 / 9 < most < 0.14  # four of the nine have a hot item
    assert ask(generated, CATEGORIES)[0] > 0.4
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["parameters"]["profile"] == "even"
    manifest["parameters"]["profile"] = "session"
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert {"item: category 2", "item: category 3"} <= {finding.name for finding in check(out).failed}


def test_a_profile_that_is_not_what_the_manifest_says_fails_the_check(generated: Path, tmp_path: Path) -> None:
    out = Path(shutil.copytree(generated, tmp_path / "copy"))
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["parameters"]["profile"] = "pdgf"
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert any("within 10 minutes" in finding.name for finding in check(out).failed)


def test_a_directory_from_ingest_is_checked_for_integrity_only(copied: Callable[[], Path]) -> None:
    out = copied()
    described = json.loads((out / "manifest.json").read_text())
    tables = {name: {"keys": {}} for name in described["tables"]}
    (out / "manifest.json").write_text(json.dumps({**described, "kind": "ingest", "parameters": {"tables": tables}}))
    report = check(out)
    assert report.ok
    assert any("content hash" in finding.name for finding in report.findings)
    assert not any("hot items" in finding.name for finding in report.findings)
