"""Streams of what is clicked, beside those of Zipf's law: the items or the pages of a data directory's click stream."""

from __future__ import annotations

import numpy as np

from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.loader import load
from streambench.lab.measure.topk.zipf_streams import Items

COLUMNS = {"items": "wcs_item_sk", "pages": "wcs_web_page_sk"}


def click_streams(catalog: Catalog, source: str, streams: int, items: int) -> list[Items]:
    """As many ``streams`` of ``items`` each, one after the other from the clicks' begin; nulls are left out.

    Raises DataError where there are fewer clicks.
    """
    (values,) = load(catalog, "web_clickstreams", (COLUMNS[source],)).columns
    ids = values[values >= 0].astype(np.uint64)
    if len(ids) < streams * items:
        raise DataError(
            f"{catalog.path} has {len(ids):,} {source} of clicks, and {streams} streams of {items:,} take "
            f"{streams * items:,}: give fewer --items, or a greater --scale-factor."
        )
    return np.split(ids[: streams * items], streams)
