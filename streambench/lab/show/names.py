"""From an answer's codes to the user's own names, where the data directory has dictionaries for them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from streambench.lab.data.catalog import Catalog
from streambench.queries.query import Query

ITEM_KEYS = {"store_sales": "ss_item_sk", "web_clickstreams": "wcs_item_sk"}
LOOKED_UP = {"category": "i_category_id", "campaign": "a_campaign_sk"}


def key_columns(query: Query) -> dict[str, str]:
    """The table column whose keys an answer column of ``query`` holds, by the answer column's name."""
    keys = {name: key for name, key in LOOKED_UP.items() if name in query.answer_columns}
    if query.item_columns:
        keys |= dict.fromkeys(query.item_columns, ITEM_KEYS[query.table])
    return keys


def has_names(query: Query, data: Catalog) -> bool:
    """Whether any column of the answer of ``query`` can be shown by names."""
    listed = (data.manifest or {}).get("dictionaries") or {}
    return any(key in listed for key in key_columns(query).values())


def with_names(answer: pa.Table, query: Query, data: Catalog) -> pa.Table:
    """``answer`` with names (string) for codes (int64) in each column that has a dictionary; others stay as they are.

    A code that its dictionary lacks is null. Raises DataError for a dictionary that cannot be read.
    """
    for place, name in enumerate(answer.column_names):
        key = key_columns(query).get(name)
        dictionary = data.dictionary(key) if key is not None else None
        if dictionary is not None:
            at = pc.index_in(answer.column(name), value_set=dictionary.column("code").combine_chunks())
            names = dictionary.column("name").cast(pa.string()).combine_chunks()
            answer = answer.set_column(place, name, names.take(at.combine_chunks()))
    return answer
