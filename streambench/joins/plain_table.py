"""What a join takes as a stream, as an Arrow table whose rows can be taken by number."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from streambench.errors import DataError


def plain_table(data: Any, name: str) -> pa.Table:
    """``data`` as a table; dictionaries and runs come as their values, views as what they view.

    Without what may differ between streams although they hold the same: metadata, whether nulls are allowed, the index
    of a pandas frame. Raises DataError, which calls the data ``name``, for what has no rows to take.
    """
    try:
        if isinstance(data, pa.RecordBatch):
            table = pa.Table.from_batches([data])
        elif type(data).__module__.partition(".")[0] == "pandas":
            table = pa.Table.from_pandas(data, preserve_index=False)
        else:
            table = pa.table(data)
    except (TypeError, ValueError, pa.ArrowException) as problem:
        raise DataError(f"{name} cannot be read as a table: {problem}.") from None
    columns = [_plain(*each, name) for each in zip(table.columns, table.column_names, strict=True)]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _plain(column: pa.ChunkedArray, own: str, name: str) -> pa.ChunkedArray:
    try:
        if is_.is_run_end_encoded(column.type):
            chunks = [pc.run_end_decode(each) for each in column.chunks]
            column = pa.chunked_array(chunks, column.type.value_type)
        type = _plain_type(column.type)
        if is_.is_dictionary(column.type):  # Arrow casts no dictionary of views
            column = pa.chunked_array([each.dictionary.cast(type).take(each.indices) for each in column.chunks], type)
        if type != column.type:
            column = column.cast(type)
        pa.nulls(1, type).take(pa.array([0]))
    except (pa.ArrowException, ValueError) as problem:
        raise DataError(f"column {own} of {name} holds {column.type}, which cannot be joined: {problem}.") from None
    return column


def _plain_type(type: pa.DataType) -> pa.DataType:
    if is_.is_dictionary(type):
        return _plain_type(type.value_type)
    if is_.is_string_view(type):
        return pa.large_string()
    if is_.is_binary_view(type):
        return pa.large_binary()
    if is_.is_list(type):
        return pa.list_(_plain_type(type.value_type))
    if is_.is_large_list(type):
        return pa.large_list(_plain_type(type.value_type))
    if is_.is_struct(type):
        return pa.struct([field.with_type(_plain_type(field.type)) for field in type])
    return type
