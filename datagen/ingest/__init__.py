"""A user's own CSV or Parquet made a table of a data directory, with or without Spark; uses no other room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streambench.datagen.ingest.ingestion import Summary, ingest
    from streambench.datagen.ingest.mapping import ColumnMapping

__all__ = ["ColumnMapping", "Summary", "ingest"]


def __getattr__(name: str) -> Any:
    # When first used: a command that only names a column mapping needs no Arrow.
    if name in __all__:
        from streambench.datagen.ingest import ingestion

        return getattr(ingestion, name)
    raise AttributeError(f"module 'streambench.datagen.ingest' has no attribute {name!r}")
