"""What an ingested table holds, read from the table itself: its time, its keys, its nulls, its first rows."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from streambench.datagen.ingest.rows import Binding
from streambench.datagen.tables import SECONDS_PER_DAY

_PAGE_KINDS = ("dynamic", "order")  # those that Q4 looks for


@dataclass
class Contents:
    """`first` and `last` event time in seconds since 1900-01-01, distinct keys, nulls per mapped column, remarks."""

    first: int | None = None
    last: int | None = None
    distinct: dict[str, int] = field(default_factory=dict)
    nulls: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Preview:
    """The first rows as texts: the columns that are mapped, keys with a dictionary as code and name."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def contents(binding: Binding, table: pa.Table | ds.Dataset, scratch: Path | None = None) -> Contents:
    """One pass over a table or its files; `scratch` is a folder for what does not fit in memory."""
    layout = binding.layout
    expressions = {f"distinct {key.target}": f"count(DISTINCT {key.target})" for key in binding.keys}
    expressions |= {f"nulls {name}": f"count(*) - count({name})" for name in binding.mapped}
    if layout.is_stream:
        expressions |= {"first": f"min({layout.second})", "last": f"max({layout.second})"}
    elif layout.name == "web_page":
        expressions |= {kind: f"count_if(wp_type = '{kind}')" for kind in _PAGE_KINDS}
    sql = ", ".join(f'{expression} AS "{name}"' for name, expression in expressions.items())
    with duckdb.connect(config={} if scratch is None else {"temp_directory": str(scratch / "counting")}) as connection:
        connection.register("written", table)
        values = connection.execute(f"SELECT {sql} FROM written").fetchone()
    assert values is not None
    row = dict(zip(expressions, values, strict=True))
    return Contents(
        row.get("first"),
        row.get("last"),
        {key.target: row[f"distinct {key.target}"] for key in binding.keys},
        {name: row[f"nulls {name}"] for name in binding.mapped},
        [f"no page has the type {kind!r}, which Q4 looks for" for kind in _PAGE_KINDS if row.get(kind) == 0],
    )


def preview(binding: Binding, table: pa.Table, names: Mapping[str, pa.Array], most: int = 10) -> Preview:
    """The first rows of a table whose dictionaries are `names`."""
    layout, first = binding.layout, table.slice(0, most)
    columns: dict[str, list[str]] = {}
    if layout.is_stream:
        dates, times = (first[name].to_pylist() for name in layout.time_columns)
        columns["ts"] = [written(day * SECONDS_PER_DAY + second) for day, second in zip(dates, times, strict=True)]
    for target in (name for name in layout.names if name in binding.mapped):
        values = first[target].to_pylist()
        known = names.get(target)
        columns[target] = [
            "null" if value is None else str(value) if known is None else f"{value} {known[value].as_py()}"
            for value in values
        ]
    return Preview(tuple(columns), tuple(zip(*columns.values(), strict=True)))


def written(seconds: int) -> str:
    """An event time as people write it."""
    return f"{datetime.datetime(1900, 1, 1) + datetime.timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"
