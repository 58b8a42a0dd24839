"""Row groups that many threads decode come out in order, few are decoded ahead, and errors stay in their place."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.data.side_by_side import RowGroup, SideBySide
from streambench.pyx.table_source import NOT_YET

Groups = list[int]  # batches of each
shapes = st.lists(st.integers(1, 5), max_size=6)


def column(first: int, batches: int, fails_at: int | None = None, alive: list[Any] | None = None) -> Iterator[Any]:
    for number in range(first, first + batches):
        if number == fails_at:
            raise OSError(f"batch {number} is gone")
        yield decoded(number, alive)


def decoded(number: int, alive: list[Any] | None) -> Any:
    values = np.array([number])
    if alive is not None:
        alive.append(weakref.ref(values))
    return values


def row_groups(shape: Groups, columns: int, fails_at: int | None = None, alive: Any = None) -> Iterator[RowGroup]:
    """Of batches that hold their number in the stream; the last column fails at one."""
    first = 0
    for batches in shape:
        lanes = [column(first, batches, fails_at if k == columns - 1 else None, alive) for k in range(columns)]
        yield RowGroup(batches, tuple(lanes))
        first += batches


def given_by(source: SideBySide, shuffle: Any = None, found: list[list[int]] | None = None) -> list[list[int]]:
    """All batches; between two of them as many pieces as ``shuffle`` says are decoded ahead."""
    found = [] if found is None else found
    for batch in source:
        if batch is NOT_YET:
            assert source.work_ahead()
        else:
            found.append([int(each[0]) for each in batch])
        for _ in range(0 if shuffle is None else shuffle.randrange(6)):
            source.work_ahead()
    return found


@given(shape=shapes, columns=st.integers(1, 4), ahead=st.integers(1, 9), shuffle=st.randoms(use_true_random=False))
def test_batches_come_in_order_whoever_decodes_when(shape: Groups, columns: int, ahead: int, shuffle: Any) -> None:
    source = SideBySide(row_groups(shape, columns), ahead)
    assert given_by(source, shuffle) == [[number] * columns for number in range(sum(shape))]
    assert not source.work_ahead()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_batches_come_in_order_from_many_threads(threads: int) -> None:
    source = SideBySide(row_groups([3, 1, 4, 2] * 40, 3), ahead=6)
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            source.work_ahead()

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    found = [batch for batch in source if batch is not NOT_YET]
    over.set()
    for worker in workers:
        worker.join()
    assert [[int(each[0]) for each in batch] for batch in found] == [[number] * 3 for number in range(400)]


@given(shape=shapes, columns=st.integers(1, 3), ahead=st.integers(1, 7))
def test_no_more_are_decoded_ahead_than_is_said(shape: Groups, columns: int, ahead: int) -> None:
    alive: list[Any] = []
    source = SideBySide(row_groups(shape, columns, alive=alive), ahead)
    given_so_far = 0
    while True:
        while source.work_ahead():
            pass
        held = sum(each() is not None for each in alive)
        assert held == columns * min(ahead, sum(shape) - given_so_far)
        if next(source, None) is None:
            break
        given_so_far += 1
    assert given_so_far == sum(shape)


@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=5), ahead=st.integers(1, 9), data=st.data())
def test_what_a_column_raises_comes_behind_all_batches_before(shape: Groups, ahead: int, data: Any) -> None:
    fails_at = data.draw(st.integers(0, sum(shape) - 1))
    found: list[list[int]] = []
    with pytest.raises(OSError, match=f"batch {fails_at} is gone"):
        given_by(SideBySide(row_groups(shape, 2, fails_at), ahead), found=found)
    assert [numbers[0] for numbers in found] == list(range(fails_at))


def test_what_the_groups_raise_comes_behind_the_groups_before() -> None:
    def groups() -> Iterator[RowGroup]:
        yield from row_groups([2], 1)
        raise OSError("no second file")

    source = SideBySide(groups(), ahead=8)
    while source.work_ahead():
        pass
    assert [int(next(source)[0][0]) for _ in range(2)] == [0, 1]
    with pytest.raises(OSError, match="no second file"):
        next(source)


def test_a_column_that_ends_too_soon_is_a_file_that_changed() -> None:
    source = SideBySide([RowGroup(3, (column(0, 1), column(0, 3)))], ahead=8)
    while source.work_ahead():
        pass
    assert [int(each[0]) for each in next(source)] == [0, 0]
    with pytest.raises(Exception, match="A file changed while it was read"):
        next(source)


def test_a_column_is_decoded_by_one_thread_at_a_time() -> None:
    entered, leave = threading.Event(), threading.Event()

    def slow() -> Iterator[Any]:
        for number in range(2):
            entered.set()
            leave.wait()
            yield np.array([number])

    source = SideBySide([RowGroup(2, (slow(),))], ahead=8)
    worker = threading.Thread(target=source.work_ahead)
    worker.start()
    entered.wait()
    assert not source.work_ahead()  # the second batch is behind the first, which is being decoded
    assert next(source) is NOT_YET
    leave.set()
    worker.join()
    assert source.work_ahead()
    assert [int(next(source)[0][0]) for _ in range(2)] == [0, 1]


def test_threads_stay_with_their_row_groups_and_then_help() -> None:
    by: list[set[int]] = [set(), set(), set()]  # for each group the threads that decoded of it

    def noting(group: int) -> Iterator[Any]:
        for number in range(4 * group, 4 * group + 4):
            by[group].add(threading.get_ident())
            yield np.array([number])

    source = SideBySide([RowGroup(4, (noting(group), noting(group))) for group in range(3)], ahead=12)
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        for _ in range(12):
            assert first.submit(source.work_ahead).result()
            assert second.submit(source.work_ahead).result()
        assert not first.submit(source.work_ahead).result()
    assert [len(threads) for threads in by] == [1, 1, 2]
    assert by[0] != by[1]
    assert given_by(source) == [[number] * 2 for number in range(12)]
