"""Which columns of its tables a query reads: what peers bring into memory."""

from __future__ import annotations

from streambench.lab.data.catalog import Catalog, TableFiles
from streambench.queries import query as queries

PARAMETERS = "paper"
"""The parameter set that peers are measured with."""

STREAM = {
    "q1": ("ss_sold_date_sk", "ss_sold_time_sk", "ss_ticket_number", "ss_item_sk"),
    "q2": ("wcs_click_date_sk", "wcs_click_time_sk", "wcs_user_sk", "wcs_item_sk"),
    "q3": (
        "wcs_click_date_sk",
        "wcs_click_time_sk",
        "wcs_user_sk",
        "wcs_item_sk",
        "wcs_sales_sk",
        "wcs_web_page_sk",
    ),
    "q4": ("wcs_click_date_sk", "wcs_click_time_sk", "wcs_user_sk", "wcs_sales_sk", "wcs_web_page_sk"),
    "q15": ("ss_sold_date_sk", "ss_item_sk", "ss_net_paid"),
}
"""Of the stream, by query."""

LOOK_UP = {"item": ("i_item_sk", "i_category_id"), "web_page": ("wp_web_page_sk", "wp_type")}
"""Of the tables that are looked up."""


def tables(catalog: Catalog, query: str) -> dict[str, tuple[TableFiles, tuple[str, ...]]]:
    """The files and the columns of each table of a query, the stream first."""
    asked = queries.find(query)
    found = {asked.table: (catalog.table(asked.table), STREAM[query])}
    return found | {name: (catalog.table(name), LOOK_UP[name]) for name in asked.dimensions[PARAMETERS]}
