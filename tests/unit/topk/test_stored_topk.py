"""Counts as bytes, and back."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from item_streams import STREAMS, check, exact

from streambench import TopK
from streambench.errors import DataError

STREAM = STREAMS["zipf 0.5"](20_000)


def counted(values: Any) -> TopK:
    found = TopK(counters=100)
    found.update(values)
    return found


@pytest.mark.parametrize(
    "values",
    [
        STREAM,
        STREAM.view(np.int64),
        pa.array(STREAM.astype(str)),
        pa.array([7, None], pa.timestamp("us", "UTC")),
        [None],
    ],
    ids=["unsigned", "signed", "texts", "times", "nothing"],
)
def test_what_is_restored_answers_and_counts_as_before(values: Any) -> None:
    before = counted(values)
    after = TopK.from_bytes(before.to_bytes())
    assert after.answer().to_table().equals(before.answer().to_table())
    assert after.to_bytes() == before.to_bytes()
    assert (after.answer().n, after.answer().nulls) == (before.answer().n, before.answer().nulls)
    assert (after.type, after.counters, after.design) == (before.type, before.counters, before.design)


def test_what_is_restored_goes_on_counting_within_its_bounds() -> None:
    found = counted(STREAM)
    for _ in range(3):
        found = TopK.from_bytes(found.to_bytes(), design="locked", threads=2)
        found.update(STREAM, thread=1)
    answer = found.answer()
    snapshot = answer.items.to_numpy(), answer.estimates, answer.upper - answer.lower, answer.floor, answer.n, 0
    check(snapshot, exact(*[STREAM] * 4), 1 / 100, most=100)
    with pytest.raises(DataError, match="items so far are uint64"):
        found.update(["a"])


def test_the_layout_is_as_documented() -> None:
    data = counted(["a", "a", "b"]).to_bytes()
    head, _, rest = data.partition(b"\n")
    assert head == b"streambench topk 1"
    assert rest[:32] == hashlib.sha256(rest[32:]).digest()
    table = pa.ipc.open_stream(rest[32:]).read_all()
    assert table.column_names == ["item", "count", "error"]
    assert b'"n": 3' in table.schema.metadata[b"streambench"]


GOOD = counted(["a"]).to_bytes()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "no top-k"),
        (b"PAR1" * 20, "no top-k"),
        (GOOD[:-1], "damaged"),
        (GOOD[:40], "damaged"),
        (GOOD[:-20] + b"x" + GOOD[-19:], "damaged"),
        (GOOD.replace(b"topk 1", b"topk 2"), "has layout 2, this streambench reads 1"),
        ("text", "restored from bytes, not from str"),
    ],
)
def test_bytes_that_are_not_these_are_refused(data: Any, told: str) -> None:
    with pytest.raises(DataError, match=re.escape(told)):
        TopK.from_bytes(data)
