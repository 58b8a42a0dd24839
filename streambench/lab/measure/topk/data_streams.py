"""Streams of a data directory, beside those of Zipf's law: the items of sold lines, the items or pages of clicks."""

from __future__ import annotations

import numpy as np

from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.loader import load
from streambench.lab.measure.topk.zipf_streams import Items
from streambench.lab.record.topk_summary import SOURCES_IN_WORDS

COLUMNS = {
    "lines": ("store_sales", "ss_item_sk"),
    "items": ("web_clickstreams", "wcs_item_sk"),
    "pages": ("web_clickstreams", "wcs_web_page_sk"),
}
"""By source the table and the column whose values are counted."""


def data_streams(catalog: Catalog, source: str, streams: int, items: int) -> list[Items]:
    """As many ``streams`` of ``items`` each, one after the other from the table's begin; nulls are left out.

    Raises DataError for a table that is missing, or has fewer values.
    """
    table, column = COLUMNS[source]
    (values,) = load(catalog, table, (column,)).columns
    ids = values[values >= 0].astype(np.uint64)
    if len(ids) < streams * items:
        raise DataError(
            f"{catalog.path} has {len(ids):,} {SOURCES_IN_WORDS[source]}, and {streams} streams of {items:,} take "
            f"{streams * items:,}: give fewer --items, or a greater --scale-factor."
        )
    return np.split(ids[: streams * items], streams)
