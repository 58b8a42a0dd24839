"""A digest changes with a value, a null, a name, a type and the order of rows, and with nothing else."""

from __future__ import annotations

import pyarrow as pa

from streambench.lab.data.arrow_digest import ArrowDigest


def digest(table: pa.Table, rows: int = 2) -> str:
    made = ArrowDigest(table.schema)
    for begin in range(0, len(table), rows):
        made.add(table.slice(begin, rows))
    return made.text()


def test_what_is_equal_has_one_digest_however_it_lies_in_memory() -> None:
    table = pa.table({"ts": [1, 2, 3], "s": ["a", None, "c"]})
    longer = pa.concat_tables([table.slice(0, 1), table, table.slice(1)])
    assert digest(longer.slice(1, 3)) == digest(longer.take([0, 4, 3])) == digest(table)
    assert len(digest(table)) == 64


def test_what_differs_has_another_digest() -> None:
    tables = [
        pa.table({"ts": [1, 2, 3]}),
        pa.table({"ts": [1, 2]}),
        pa.table({"ts": [1, 3, 2]}),
        pa.table({"ts": [1, 2, None]}),
        pa.table({"when": [1, 2, 3]}),
        pa.table({"ts": pa.array([1, 2, 3], pa.int32())}),
        pa.table({"ts": pa.array([], pa.int64())}),
        pa.table({"ts": pa.array([], pa.int32())}),
    ]
    assert len({digest(each) for each in tables}) == len(tables)
