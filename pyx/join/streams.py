"""What a gate's source takes as streams, and whether they have one schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from streambench.pyx.tuples.layout import MOST_COLUMNS
from streambench.pyx.tuples.operator import Source
from streambench.pyx.tuples.table_source import BatchSource, TableSource

if TYPE_CHECKING:
    from streambench.pyx.tuples.operator import Schema

TIMES = ("int64", "int32", "int16", "int8", "uint32", "uint16", "uint8")


def sources_of(streams: Iterable[Any], names: Sequence[str] | None, types: Sequence[Any]) -> tuple[Source, ...]:
    """Each stream as a ``Source``; see ``GateSource``. Raises ValueError and TypeError for what is none."""
    if isinstance(streams, (Source, Mapping)):
        raise ValueError("a gate's streams stand in a list, even where there is only one")
    found = tuple(_source(k, stream, names, types) for k, stream in enumerate(streams))
    if not found:
        raise ValueError("a gate needs at least one stream")
    if len({id(each) for each in found}) < len(found):
        raise ValueError("a stream stands twice in the list: a gate reads each once")
    return found


def _source(k: int, stream: Any, names: Sequence[str] | None, types: Sequence[Any]) -> Source:
    if isinstance(stream, Source):
        return stream
    if isinstance(stream, Mapping):
        return TableSource(list(stream.values()), list(stream))
    if isinstance(stream, Iterable) and not isinstance(stream, (str, bytes)):
        if names is None:
            raise ValueError(f"stream {k} is an iterable of batches: say by names= what their columns are called")
        return BatchSource(stream, names, types=types)
    raise TypeError(
        f"stream {k} is of type {type(stream).__name__}: give a Source, a mapping from names to arrays, "
        "or batches of arrays"
    )


def schema_of(streams: Sequence[Source], time: str, source: str | None) -> Schema:
    """What a gate over these streams emits. Raises ValueError where they differ, or cannot be ordered by ``time``."""
    schemas = [stream.bind(()) for stream in streams]
    for k, schema in enumerate(schemas):
        if schema != schemas[0]:
            raise ValueError(
                f"stream {k} has columns {_shown(schema)}, but stream 0 {_shown(schemas[0])}: make them equal"
            )
        if streams[k].list_column >= 0:
            raise ValueError(f"stream {k} has a column of lists, which a gate cannot take: take them apart before")
    found = dict(schemas[0])
    if time not in found:
        raise ValueError(
            f"there is no column {time} to order by: the streams have {_shown(schemas[0])}; time= names one"
        )
    if found[time].name not in TIMES:
        raise ValueError(f"column {time} holds {found[time].name}: time is {' or '.join(TIMES)}")
    if source is None:
        return schemas[0]
    if source in found:
        raise ValueError(f"the streams have a column {source} already: call the one that names the stream otherwise")
    if len(found) == MOST_COLUMNS:
        raise ValueError(f"the streams have {MOST_COLUMNS} columns, so none can be appended: leave source= out")
    return (*schemas[0], (source, np.dtype("int32")))


def _shown(schema: Schema) -> str:
    return ", ".join(f"{name} ({type.name})" for name, type in schema)
