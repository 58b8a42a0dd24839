"""Arrow tables of every type that a source takes, cut into chunks that are slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Kind:
    """A type: some of its values, and one that is none of them and can stand for null; None: there is no such one."""

    type: pa.DataType
    values: tuple[Any, ...]
    sentinel: Any = None


WORDS = ("", "a", "bb", "ccc", "naïve", "a longer text than a view holds in place")
DAY = 86_400_000
INTEGERS = [
    *(Kind(getattr(pa, f"int{bits}")(), (0, 1, 5, 100, -(2 ** (bits - 1))), -1) for bits in (8, 16, 32, 64)),
    *(Kind(getattr(pa, f"uint{bits}")(), (0, 1, 5, 200), 2**bits - 1) for bits in (8, 16, 32, 64)),
]
TIMES = [
    *(Kind(type, (0, 1, 86_399), -1) for type in (pa.date32(), pa.time32("s"), pa.time32("ms"), pa.time64("us"))),
    *(Kind(type, (0, 1, 10**9), -1) for type in (pa.timestamp("s"), pa.timestamp("us", "UTC"), pa.duration("ms"))),
    Kind(pa.date64(), (0, DAY, 20_000 * DAY), -1),
]
TEXTS = [
    *(Kind(type, WORDS) for type in (pa.string(), pa.large_string(), pa.string_view())),
    *(Kind(type, tuple(each.encode() for each in WORDS)) for type in (pa.binary(), pa.binary_view())),
    Kind(pa.dictionary(pa.int8(), pa.string()), WORDS),
    Kind(pa.dictionary(pa.uint32(), pa.large_string()), WORDS),
    Kind(pa.dictionary(pa.int16(), pa.int64()), (3, 1, -7)),
]
KINDS = [
    *INTEGERS,
    Kind(pa.float32(), (0.0, 0.5, -2.25), float("nan")),
    Kind(pa.float64(), (0.0, 1e300, -0.1), -1.0),
    Kind(pa.bool_(), (True, False)),
    Kind(pa.binary(1), (b"a", b"b"), b"\xff"),
    Kind(pa.binary(20), (bytes(20), bytes(range(20))), b"\xff" * 20),
    *TIMES,
    *TEXTS,
]


def may_be_null(kind: Kind) -> bool:
    """Whether a column of this kind can have nulls in the runtime."""
    return kind.sentinel is not None or kind in TEXTS


def array_of(kind: Kind, n: int, draw: np.random.Generator, nulls: bool) -> pa.Array:
    """``n`` values in a slice of more."""
    drawn = [kind.values[k] for k in draw.integers(0, len(kind.values), n + 5)]
    if nulls and may_be_null(kind):
        drawn = [None if each else value for each, value in zip(draw.integers(0, 3, n + 5) == 0, drawn, strict=True)]
    if kind in TIMES:
        stored = pa.int32() if kind.type.bit_width == 32 else pa.int64()
        return pa.array(drawn, stored).view(kind.type).slice(3, n)
    return pa.array(drawn, kind.type).slice(3, n)


def table_of(kinds: Sequence[Kind], sizes: Sequence[int], seed: int, nulls: bool = True) -> pa.Table:
    """A table with a column ``c0``, ``c1``, ... of each kind, in chunks of these sizes."""
    draw = np.random.default_rng(seed)
    columns = {
        f"c{k}": pa.chunked_array([array_of(kind, n, draw, nulls) for n in sizes], kind.type)
        for k, kind in enumerate(kinds)
    }
    return pa.table(columns)


def nulls_of(kinds: Sequence[Kind]) -> dict[str, Any]:
    """What stands for null in the table's columns."""
    return {f"c{k}": kind.sentinel for k, kind in enumerate(kinds) if kind.sentinel is not None}
