"""Measures a generated directory's distributions, with DuckDB, beside what the model promises."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from streambench.datagen import model
from streambench.datagen.checking import expectation
from streambench.datagen.checking.click_distributions import check_clicks
from streambench.datagen.checking.edge_check import check_edges
from streambench.datagen.checking.event_distributions import check_events
from streambench.datagen.checking.measured import check_shares, counts, measured
from streambench.datagen.checking.report import DataReport
from streambench.datagen.checking.sales_distributions import check_sales
from streambench.datagen.make.edge_rows import edges_of


def check_distributions(
    directory: Path, manifest: dict[str, Any], options: model.Options, report: DataReport, done: Callable[[float], None]
) -> None:
    """Add findings on the tables of a directory that `generate` made with `options`.

    Distributions are those of the drawn rows: the few of edges are told by keys above all drawn ones.
    """
    customers = options.sizes.customers
    with _opened(directory, manifest) as db:
        db.execute(
            f"""CREATE VIEW drawn_sales AS SELECT * FROM store_sales WHERE ss_customer_sk < {customers};
            CREATE VIEW drawn_clicks AS SELECT * FROM web_clickstreams WHERE coalesce(wcs_user_sk, 0) < {customers}"""
        )
        popular = [(key,) for key in expectation.popular_items(options.sizes)]
        db.execute("CREATE TEMP TABLE popular_item (key BIGINT)")
        db.executemany("INSERT INTO popular_item VALUES (?)", popular)
        _check_dimensions(db, options, report)
        done(0.1)
        check_sales(db, options, report)
        done(0.4)
        check_clicks(db, options, report)
        done(0.8)
        check_events(db, options, report)
        done(0.9)
        check_edges(db, options, report)


@contextmanager
def _opened(directory: Path, manifest: dict[str, Any]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A private database with one view per table; what does not fit in memory goes to a temporary folder."""
    with tempfile.TemporaryDirectory() as spill, duckdb.connect(":memory:", config={"temp_directory": spill}) as db:
        for name, entry in manifest["tables"].items():
            files = ", ".join("'" + str(directory / file).replace("'", "''") + "'" for file in entry["files"])
            db.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{files}])")
        yield db


def _check_dimensions(db: duckdb.DuckDBPyConnection, options: model.Options, report: DataReport) -> None:
    sizes = options.sizes
    for table, key, count in (
        ("item", "i_item_sk", sizes.items + edges_of(options).items),
        ("web_page", "wp_web_page_sk", sizes.pages),
        ("date_dim", "d_date_sk", model.CALENDAR_DAYS),
    ):
        with measured(db, report, table) as rows:
            rows.numbered("keys, first, last", key, count, "DISTINCT")
    by_category = counts(db, "i_category_id", f"item WHERE i_item_sk < {sizes.items}")
    categories = {category: f"item: category {category}" for category in range(1, len(model.CATEGORY_WEIGHTS) + 1)}
    shares = model.category_shares(options.profile)
    check_shares(report, by_category, categories, shares, sizes.items, "item: items of other categories")
    types = counts(db, "wp_type", "web_page")
    equal = 1 / len(model.PAGE_TYPES)
    for name in model.PAGE_TYPES:
        report.near(f"web_page: type {name}", types.pop(name, 0) / sizes.pages, equal, 1 / sizes.pages, "%")
    report.same("web_page: pages of other types", sum(types.values()), 0)
    dates = "d_date_sk = datediff('day', DATE '1900-01-01', CAST(d_date AS DATE))"
    with measured(db, report, "date_dim") as rows:
        rows.none("keys that are not days since 1900-01-01", f"NOT coalesce({dates}, false)")
