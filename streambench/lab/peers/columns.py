"""Which columns of its tables a query reads: what peers bring into memory."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from streambench.lab.data.catalog import Catalog, TableFiles
from streambench.lab.data.columns import sources
from streambench.queries import query as queries

PARAMETERS = "paper"
"""The parameter set that peers are measured with."""

QUERIES = ("q1", "q2", "q3", "q4", "q15")
LOOK_UP = {"item": ("i_item_sk", "i_category_id"), "web_page": ("wp_web_page_sk", "wp_type")}
"""Of the tables that are looked up."""


def tables(catalog: Catalog, query: str) -> dict[str, tuple[TableFiles, tuple[str, ...]]]:
    """The files and the columns of each table of a query, the stream first."""
    pipeline_query = queries.find(query)
    logical = pipeline_query.columns(pipeline_query.parameters[PARAMETERS])
    read = tuple(name for column in logical for name in sources(pipeline_query.table, column))
    stream = {pipeline_query.table: (catalog.table(pipeline_query.table), read)}
    return stream | {name: (catalog.table(name), LOOK_UP[name]) for name in pipeline_query.dimensions[PARAMETERS]}


def answer_schema(names: Sequence[str]) -> pa.Schema:
    """The columns of an answer: quotients, all others whole numbers."""
    floats = ("slope", "intercept", "pages_per_session")
    return pa.schema([(name, pa.float64() if name in floats else pa.int64()) for name in names])
