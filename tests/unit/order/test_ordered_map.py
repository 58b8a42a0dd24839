"""`OrderedScheduler.map`: results in the order of the items, bounded memory, errors in their place, no thread left."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import pytest

from streambench import OrderedScheduler


def threads() -> int:
    return threading.active_count()


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("items", [0, 1, 7, 500])
@pytest.mark.parametrize("most", [None, 1, 3])
def test_results_come_in_the_order_of_the_items(items: int, workers: int, most: int | None) -> None:
    draw = random.Random(items)
    naps = [draw.choice((0.0, 0.0, 1e-4, 5e-4)) for _ in range(items)]
    before = threads()

    def late(number: int) -> int:
        time.sleep(naps[number])
        return number * number

    found = OrderedScheduler.map(late, range(items), workers=workers, most=most)
    assert list(found) == [number * number for number in range(items)]
    assert threads() == before


def test_by_default_there_are_workers() -> None:
    assert list(OrderedScheduler.map(str, range(50))) == [str(number) for number in range(50)]


@pytest.mark.parametrize(("workers", "most"), [(1, 1), (4, 2), (2, 9)])
def test_no_more_items_are_read_than_have_room(workers: int, most: int) -> None:
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    taken = OrderedScheduler.map(lambda item: item, items(), workers=workers, most=most)
    for number in range(1, 50):
        assert next(taken) == number
        time.sleep(1e-3)
        assert read <= number + most
    taken.close()  # type: ignore[attr-defined]


def test_items_are_worked_on_at_the_same_time() -> None:
    met = threading.Barrier(3, timeout=30)
    assert sorted(OrderedScheduler.map(lambda item: met.wait() * 0 + item, range(9), workers=3)) == list(range(9))


def test_an_error_of_the_function_comes_in_its_place_and_ends_the_map() -> None:
    before = threads()

    def refuses(number: int) -> int:
        if number == 20:
            raise LookupError("there is no 20")
        return number

    found = OrderedScheduler.map(refuses, range(1000), workers=4)
    assert [next(found) for _ in range(20)] == list(range(20))
    with pytest.raises(LookupError, match="there is no 20"):
        next(found)
    with pytest.raises(StopIteration):
        next(found)
    assert threads() == before


def test_an_error_of_the_iterable_comes_behind_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise OSError("the disk is gone")

    found = OrderedScheduler.map(lambda item: item, items(), workers=3)
    assert [next(found) for _ in range(5)] == list(range(5))
    with pytest.raises(OSError, match="the disk is gone"):
        next(found)


def test_nothing_begins_before_the_first_result_is_asked_for() -> None:
    before = threads()
    OrderedScheduler.map(print, range(10), workers=2)
    assert threads() == before


def test_whoever_stops_early_leaves_no_thread() -> None:
    before = threads()
    for number in OrderedScheduler.map(lambda item: item, range(10**9), workers=4):
        if number == 100:
            break
    assert threads() == before


@pytest.mark.parametrize(
    ("function", "how", "error", "why"),
    [
        ("no function", {}, TypeError, "a function must be callable, and str is not"),
        (str, {"workers": 0}, ValueError, "`workers` of an ordered map must be at least 1, not 0"),
        (str, {"most": -1}, ValueError, "`most` of an ordered map must be at least 1, not -1"),
    ],
)
def test_bad_arguments_are_refused(function: object, how: dict[str, int], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        OrderedScheduler.map(function, range(3), **how)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not iterable"):
        OrderedScheduler.map(str, 3)  # type: ignore[arg-type]
