"""What a gate's source takes as streams, and whether they have one schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from streambench.pyx.tuples.errors import UnfitDataError, UnfitOptionError, UnfitTypeError
from streambench.pyx.tuples.layout import MOST_COLUMNS
from streambench.pyx.tuples.meaning import Meaning, meanings_of
from streambench.pyx.tuples.operator import Source
from streambench.pyx.tuples.table_source import BatchSource, TableSource

if TYPE_CHECKING:
    from streambench.pyx.tuples.operator import Schema

TIMES = ("int64", "int32", "int16", "int8", "uint32", "uint16", "uint8")


def sources_of(streams: Iterable[Any], names: Sequence[str] | None, types: Sequence[Any]) -> tuple[Source, ...]:
    """Each stream as a ``Source``; see ``GateSource``. Raises UnfitDataError and UnfitOptionError for what is none."""
    if isinstance(streams, (Source, Mapping)) or not isinstance(streams, Iterable):
        raise UnfitOptionError("a gate's streams stand in a list, even where there is only one")
    found = tuple(_source(k, stream, names, types) for k, stream in enumerate(streams))
    if not found:
        raise UnfitOptionError("a gate needs at least one stream")
    below = [id(each) for stream in found for each in all_read(stream)]
    if len({*below}) < len(below):
        raise UnfitOptionError("a stream stands twice in the list: a gate reads each once, even by way of another")
    return found


def all_read(source: Any) -> Iterator[Any]:
    """A source and all that it reads itself, as a gate and a join of streams do."""
    yield source
    for each in (*getattr(source, "streams", ()), *getattr(source, "sides", ())):
        yield from all_read(each)


def _source(k: int, stream: Any, names: Sequence[str] | None, types: Sequence[Any]) -> Source:
    if isinstance(stream, Source):
        return stream
    if isinstance(stream, Mapping):
        return TableSource(list(stream.values()), list(stream))
    if hasattr(stream, "__arrow_c_stream__") or isinstance(stream, (str, bytes, Path)):
        raise UnfitTypeError(f"stream {k} is of type {type(stream).__name__}: give a streambench.ArrowSource of it")
    if isinstance(stream, Iterable):
        if names is None:
            raise UnfitOptionError(f"stream {k} is an iterable of batches: say by names= what their columns are called")
        return BatchSource(stream, names, types=types)
    raise UnfitTypeError(
        f"stream {k} is of type {type(stream).__name__}: give a Source, a mapping from names to arrays, "
        "or batches of arrays"
    )


def schema_of(streams: Sequence[Source], time: str, source: str | None) -> Schema:
    """What a gate over these streams emits. Raises UnfitDataError where they differ, or cannot be ordered by ``time``,
    UnfitOptionError for a name that does not fit."""
    schemas = [stream.bind(()) for stream in streams]
    meanings = [meanings_of(stream) for stream in streams]
    known = any(getattr(stream, "held_columns", None) is not None for stream in streams)
    for k, schema in enumerate(schemas):
        if [name for name, _ in schema] != [name for name, _ in schemas[0]]:
            raise _unequal(k, schema, schemas[0])
        for name in meanings[0] if known else ():
            _require_one_meaning(k, name, meanings[k][name], meanings[0][name])
        if schema != schemas[0]:
            raise _unequal(k, schema, schemas[0])
        if streams[k].list_column >= 0:
            raise UnfitDataError(f"stream {k} has a column of lists, which a gate cannot take: take them apart before")
    found = dict(schemas[0])
    if time not in list(found):
        raise UnfitOptionError(
            f"there is no column {time} to order by: the streams have {_shown(schemas[0])}; time= names one"
        )
    if found[time].name not in TIMES or meanings[0][time].texts is not None:
        held = found[time].name if meanings[0][time].texts is None else meanings[0][time].type
        raise UnfitDataError(f"column {time} holds {held}: time is {' or '.join(TIMES)}")
    if source is None:
        return schemas[0]
    if not isinstance(source, str):
        raise UnfitTypeError(
            f"source= names the column that says which stream a tuple is from, and {source!r} is no name"
        )
    if source in found:
        raise UnfitOptionError(
            f"the streams have a column {source} already: call the one that names the stream otherwise"
        )
    if len(found) == MOST_COLUMNS:
        raise UnfitOptionError(f"the streams have {MOST_COLUMNS} columns, so none can be appended: leave source= out")
    return (*schemas[0], (source, np.dtype("int32")))


def held_by(streams: Sequence[Source]) -> Any:
    """What a gate's columns mean, as ``HeldColumns`` with a dictionary of their own; None where no source knows it."""
    held = next((found for each in streams if (found := getattr(each, "held_columns", None)) is not None), None)
    if held is None:
        return None
    meanings = [meanings_of(stream) for stream in streams]
    return held.of({name: _of_all([each[name] for each in meanings]) for name in meanings[0]})


def _of_all(meanings: Sequence[Meaning]) -> Meaning:
    """One for several that agree: texts of several types are those of the type that holds all of them."""
    first = meanings[0]
    same = first.texts is None or all(each.type == first.type for each in meanings)
    return first if same else first._replace(type=first.texts)


def _require_one_meaning(k: int, name: str, own: Meaning, first: Meaning) -> None:
    if not own.agrees(first):
        hint = ""
        if any(pa.types.is_integer(a.type) and pa.types.is_floating(b.type) for a, b in ((own, first), (first, own))):
            hint = "; pandas makes floats of integers that have a null, so give it a column of Int64"
        raise UnfitDataError(
            f"column {name} is {own.type} in stream {k}, but {first.type} in stream 0: cast one of them{hint}"
        )
    if not own.same_null(first):
        raise UnfitDataError(
            f"for null in column {name} stands {own.null_shown} in stream {k}, but {first.null_shown} in stream 0: "
            "state the same by nulls= for both"
        )


def _unequal(k: int, schema: Schema, first: Schema) -> UnfitDataError:
    return UnfitDataError(f"stream {k} has columns {_shown(schema)}, but stream 0 {_shown(first)}: make them equal")


def _shown(schema: Schema) -> str:
    return ", ".join(f"{name} ({type.name})" for name, type in schema)
