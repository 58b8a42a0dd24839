"""Which streams can lie in buckets by key: each file holds all rows of its keys, in replay order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streambench.datagen.errors import DatagenOptionError

KEYS = {"store_sales": "ss_ticket_number", "web_clickstreams": "wcs_user_sk"}
"""By table: the key by which the queries over it are cut."""

MOST_BUCKETS = 1024


def require_buckets(number: int | None) -> None:
    """Raise DatagenOptionError for a number that cannot be."""
    if number is not None and (isinstance(number, bool) or not 1 <= number <= MOST_BUCKETS):
        raise DatagenOptionError(f"The number of buckets must lie in 1 to {MOST_BUCKETS}, not {number}.")


def is_bucketed(manifest: Mapping[str, Any] | None, table: str) -> bool:
    """Whether the table of a data directory with this manifest lies in buckets."""
    if manifest is None or table not in KEYS:
        return False
    parameters = manifest.get("parameters", {})
    if manifest.get("kind") == "ingest":
        tables = parameters.get("tables")
        parameters = tables.get(table) if isinstance(tables, dict) else None
    return isinstance(parameters, dict) and parameters.get("buckets") is not None
