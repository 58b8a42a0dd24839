"""Columns of the runtime's as Arrow arrays and tables, in the same memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from streambench.pyx.tuples.errors import UnfitOptionError
from streambench.pyx.tuples.layout import type_named
from streambench.pyx.tuples.sentinels import sentinels, with_nulls

if TYPE_CHECKING:
    from streambench.pyx.tuples.operator import Schema


def arrow_type(type: np.dtype[Any]) -> pa.DataType:
    """Arrow's type of a column."""
    return pa.binary(type.itemsize) if type.kind == "V" else pa.from_numpy_dtype(type)


def numpy_type(type: pa.DataType) -> np.dtype[Any]:
    """The column's type that is the same as Arrow's. Raises TypeError where none is."""
    return type_named(f"V{type.byte_width}" if pa.types.is_fixed_size_binary(type) else type.to_pandas_dtype())


def kept_table(schema: Schema, kept: Any, nulls: Any) -> pa.Table:
    """What a sink has kept (its ``KeptColumns``); see ``TableSink.to_arrow``."""
    names = told_apart([name for name, _ in schema])
    columns = {name: _column(type, kept, k) for k, (name, (_, type)) in enumerate(zip(names, schema, strict=True))}
    for name, sentinel in sentinels(nulls, {name: column.type for name, column in columns.items()}).items():
        columns[name] = with_nulls(columns[name], sentinel)
    return pa.table(columns)


def kept_batch(
    schema: Schema, kept: Any, restorer: Any, renamed: Mapping[str, str] | None, nulls: Any
) -> pa.RecordBatch:
    """What a sink has kept as one batch. ``restorer`` brings columns of the source back, of which ``renamed`` says how
    they are called; texts come as texts. ``nulls``: what stands for null in the others."""
    held = kept_table(schema, kept, None)
    for name, theirs in (renamed or {}).items():
        if restorer is None or name not in held.column_names:
            where, has = ("output", held.column_names) if restorer else ("source", [])
            raise UnfitOptionError(
                f"`restore` calls {name} the source's {theirs}, but the {where} has no such column to bring back: it "
                f"has {', '.join(has) or 'none'}."
            )
    table = held if restorer is None else restorer(held, renamed)
    columns = [each.combine_chunks() if each.num_chunks != 1 else each.chunk(0) for each in table.columns]
    columns = [each.dictionary_decode() if pa.types.is_dictionary(each.type) else each for each in columns]
    free = {each.name: each.type for each, was in zip(table.schema, held.schema, strict=True) if each.type == was.type}
    stated = sentinels(
        nulls, {field.name: field.type for field in table.schema} if isinstance(nulls, Mapping) else free
    )
    for place, name in enumerate(table.column_names):
        if name in stated and columns[place].null_count == 0:
            columns[place] = with_nulls(columns[place], stated[name])
    return pa.RecordBatch.from_arrays(columns, names=table.column_names)


def told_apart(names: Sequence[str]) -> list[str]:
    """The names; those that stand twice with their places."""
    return [f"{name} ({place})" if names.count(name) > 1 else name for place, name in enumerate(names)]


def _column(type: np.dtype[Any], kept: Any, k: int) -> pa.Array:
    address, size = kept.place(k)
    memory = pa.foreign_buffer(address, size, kept) if size else pa.py_buffer(b"")
    length = size // type.itemsize
    if type.kind == "b":  # bits in Arrow, bytes here
        return pa.Array.from_buffers(pa.uint8(), length, [None, memory]).cast(pa.bool_())
    return pa.Array.from_buffers(arrow_type(type), length, [None, memory])
