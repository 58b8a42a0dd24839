"""What users hold items in, as Arrow arrays without nulls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from streambench.errors import DataError
from streambench.topk.item_type import item_type

ARROW = (pa.Array, pa.ChunkedArray)
SMALL = 4096  # texts of a dictionary that are worth hashing once for some thousand rows


def plain_values(values: Any, known: pa.DataType | None) -> tuple[list[pa.Array], int]:
    """``values`` without its nulls, in one of the types of ``item_type`` or in a small dictionary of texts; how many
    nulls.

    ``known``: the type of the items so far. It is what a list's values become. Raises DataError, in a sentence, for
    what holds no items, and for items of another type.
    """
    plain, nulls = [], 0
    for chunk in _chunks(values, known):
        if is_.is_run_end_encoded(chunk.type):
            chunk = pc.run_end_decode(chunk)
        if is_.is_null(chunk.type):
            nulls += len(chunk)
            continue
        type = item_type(chunk.type)
        known = require_type(chunk.type, known or type)
        present = _plain(chunk, type).drop_null()
        nulls += len(chunk) - len(present)
        if len(present) > 0:
            plain.append(present)
    return plain, nulls


def require_type(type: pa.DataType, known: pa.DataType) -> pa.DataType:
    """``known``, where it is what items of ``type`` are counted as. Raises DataError where it is not."""
    if item_type(type) != known:
        raise DataError(f"items so far are {known}, these are {type}: cast them, or count them apart.")
    return known


def _plain(chunk: pa.Array, type: pa.DataType) -> pa.Array:
    if not is_.is_dictionary(chunk.type):
        return chunk.cast(type)
    small = len(chunk.dictionary) <= min(len(chunk), SMALL) and not chunk.dictionary.null_count
    try:
        if small and type in (pa.large_string(), pa.large_binary()):
            return pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(type))
        return chunk.dictionary.cast(type).take(chunk.indices)
    except (IndexError, pa.ArrowInvalid) as problem:
        raise DataError(
            f"items have a code that their dictionary of {len(chunk.dictionary)} values has not: the data are damaged, "
            "so write them again."
        ) from problem


def _chunks(values: Any, known: pa.DataType | None) -> list[pa.Array]:
    if isinstance(values, str | bytes | dict) or not (hasattr(values, "__iter__") or hasattr(values, "__len__")):
        raise DataError(f"items come in an array, a series or a list, not in {_shown(values)}.")
    try:
        if isinstance(values, ARROW):
            array = values
        elif isinstance(values, list | tuple):
            array = _listed(values, known)
        elif isinstance(values, np.ndarray):
            array = pa.array(values.astype(values.dtype.newbyteorder("="), copy=False))
        elif hasattr(values, "__arrow_c_stream__"):
            array = pa.chunked_array(values)
        else:
            array = pa.array(values)
    except (TypeError, ValueError, OverflowError, pa.ArrowException) as problem:
        raise DataError(f"items cannot be read from {_shown(values)}: {str(problem).rstrip('.')}.") from None
    return list(array.chunks) if isinstance(array, pa.ChunkedArray) else [array]


def _listed(values: Any, known: pa.DataType | None) -> pa.Array:
    try:
        array = pa.array(values)
    except OverflowError:  # beyond int64
        array = pa.array(values, pa.uint64())
    if known is None:
        return array
    kinds = (is_.is_integer, is_.is_floating, is_.is_timestamp, is_.is_duration, is_.is_time)
    alike = any(kind(array.type) and kind(known) for kind in kinds)
    if alike or (is_.is_integer(array.type) and is_.is_floating(known)):
        return array.cast(known)  # a list says nothing of its items' width or unit
    return array


def _shown(values: Any) -> str:
    kind = type(values)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
