"""Ranges of ascending keys: every row is owned once, and all rows of a key by the same range."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.cluster.plan import Piece
from streambench.lab.cluster.ranges import Owned, inner, ranges, without
from streambench.pyx.tuples.table_source import NOT_YET

GROUP_ROWS = 4


class Read:
    """Batches as ``SideBySide`` gives them; not yet the first time that each is asked for."""

    def __init__(self, batches: list[list[Any]]) -> None:
        self.left = [each for batch in batches for each in (NOT_YET, batch)]

    def work_ahead(self) -> bool:
        return False

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        return self.left.pop(0)


def written(folder: Path, keys: list[int], statistics: bool = True) -> list[Piece]:
    """Two files of ascending keys, each cut in row groups."""
    found = []
    for number, some in enumerate((keys[: len(keys) // 3], keys[len(keys) // 3 :])):
        file = folder / f"{number}.parquet"
        table = pa.table({"other": pa.array(some, pa.int64()), "k": pa.array(some, pa.int64())})
        pq.write_table(table, file, row_group_size=GROUP_ROWS, write_statistics=statistics)
        first = 0 if number == 0 else len(keys) // 3
        found += [
            Piece(file, begin // GROUP_ROWS, begin, first + begin, len(some[begin : begin + GROUP_ROWS]))
            for begin in range(0, len(some), GROUP_ROWS)
        ]
    return found


@given(st.lists(st.integers(0, 30) | st.integers(0, 2**62), min_size=1, max_size=60), st.integers(1, 9))
def test_each_row_is_owned_once_and_with_all_of_its_key(
    tmp_path_factory: pytest.TempPathFactory, some: list[int], most: int
) -> None:
    keys = np.sort(np.array(some, np.int64))
    pieces = written(tmp_path_factory.mktemp("r"), keys.tolist())
    made = ranges(pieces, "k", most)
    assert made is not None
    assert 1 <= len(made) <= most
    found = []
    for owner in made:
        batches = [[keys[each.place : each.place + each.rows]] for each in owner.pieces]
        given_out = [each for each in Owned(Read(batches), 0, owner) if each is not NOT_YET]  # type: ignore[arg-type]
        found.append([key for (column,) in given_out for key in column.tolist()])
    assert [key for each in found for key in each] == keys.tolist()
    assert sum(len(set(each)) for each in found) == len(set(keys.tolist()))


def test_files_that_do_not_tell_their_keys_have_no_ranges(tmp_path: Path) -> None:
    assert ranges(written(tmp_path, [1, 2, 3], statistics=False), "k", 2) is None
    assert ranges([], "k", 2) is None


@pytest.mark.parametrize(
    ("window", "whole"),
    [([], []), ([5], []), ([5, 5], []), ([5, 6], []), ([5, 6, 7], [6]), ([5, 5, 6, 6, 8, 9, 9], [6, 6, 8])],
)
def test_the_first_window_and_the_last_may_go_on_elsewhere(window: list[int], whole: list[int]) -> None:
    rows = {"w": np.array(window, np.int32)}
    some = inner(rows["w"])
    assert rows["w"][some].tolist() == whole
    before, behind = (each["w"].tolist() for each in without(rows, some))
    assert before + whole + behind == window
