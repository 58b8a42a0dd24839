"""Functions as users write them, each with its plain twin: what it does to one tuple, in Python.

All take a key and a value. Those that append a column have a function behind them that folds it into the value.
"""

from __future__ import annotations

import functools
import importlib.util
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import streambench

Row = tuple[int, int]
M = 10_007
COUNT = [("count", "int64"), ("highest", "int32")]
NUMBA = importlib.util.find_spec("numba") is not None
NEEDS_NUMBA = pytest.mark.skipif(not NUMBA, reason="Numba is not installed")
WAYS = [pytest.param(False, id="under the GIL"), pytest.param(True, id="Numba", marks=NEEDS_NUMBA)]
MUCH_TO_COMPILE = [WAYS[0], pytest.param(True, id="Numba", marks=[NEEDS_NUMBA, pytest.mark.slow])]
EMITTED = ("key", "value")


def mapped(key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    to_key[:] = key
    to_value[:] = (31 * value + key) % M


def odd(key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(len(key)):
        if value[i] % 2:
            to_key[n], to_value[n] = key[i], value[i]
            n += 1
    return n


def even(key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    kept = value % 2 == 0
    n = kept.sum()
    to_key[:n] = key[kept]
    to_value[:n] = value[kept]
    return n


def copied(key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(len(key)):
        for j in range(value[i] % 4):
            to_key[n], to_value[n] = key[i], value[i] + j
            n += 1
    return n


def tagged(value, key, tag):  # type: ignore[no-untyped-def]
    tag[:] = (value + key) % 1009


def folded(key, value, tag, to_key, to_value):  # type: ignore[no-untyped-def]
    to_key[:] = key
    to_value[:] = (value + tag) % M


def totalled(state, key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    for i in range(len(key)):
        state.count += value[i]
        to_key[i], to_value[i] = key[i], state.count % M


def numbered(state, value, tag):  # type: ignore[no-untyped-def]
    for i in range(len(value)):
        tag[i] = state.count
        state.count += 1


def summed(state, key, value):  # type: ignore[no-untyped-def]
    state.count += value
    return key, state.count % M


def highest(state, key, value):  # type: ignore[no-untyped-def]
    if state.count > 0 and value <= state.highest:
        return None
    state.count += 1
    state.highest = value
    return key, value


def ranked(state, key):  # type: ignore[no-untyped-def]
    state.count += 1
    return state.count


def wary(key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(len(key)):
        if value[i] % 211 == 7:
            raise ValueError("a value it does not like")
        if value[i] % 3:
            to_key[n], to_value[n] = key[i], value[i]
            n += 1
    return n


def sated(state, key, value, to_key, to_value):  # type: ignore[no-untyped-def]
    for i in range(len(key)):
        state.count += 1
        if state.count == 150:
            raise OverflowError("it has had enough")
        to_key[i], to_value[i] = key[i], value[i]


def sated_by_key(state, key, value):  # type: ignore[no-untyped-def]
    state.count += 1
    if state.count == 9:
        raise OverflowError("this key has had enough")
    return key, value


def marked_by_key(state, key):  # type: ignore[no-untyped-def]
    state.count += 1
    if state.count == 7:
        raise ValueError("the seventh of its key")
    return state.count


def raised(key, value):  # type: ignore[no-untyped-def]
    return key, (17 * value + key) % M


def kept(key, value):  # type: ignore[no-untyped-def]
    return (key, value) if value % 3 else None


def labelled(value, key):  # type: ignore[no-untyped-def]
    return 3 * value + key  # at most some 30,000: a 16-bit integer


def unlabelled(key, value, tag):  # type: ignore[no-untyped-def]
    return key, (value + tag) % M


def rekeyed(key, value):  # type: ignore[no-untyped-def]
    return value % 23 - 3, value


def choosy(key, value):  # type: ignore[no-untyped-def]
    if value % 199 == 5:
        raise ValueError("a value that it would rather not have")
    return (key, value) if value % 5 else None


Plain = Callable[[Any, int, int], Iterable[Row]]


class Twin:
    """Of one operator, or of two: what it does to a tuple, given a state (by ``key``, if so) to keep things in."""

    def __init__(self, plain: Plain, by_key: bool = False) -> None:
        self.plain, self.by_key = plain, by_key
        self.states: dict[int, Any] = defaultdict(lambda: defaultdict(int))

    def push(self, row: Row) -> Iterable[Row]:
        return self.plain(self.states[row[0] if self.by_key else 0], *row)


def plain_highest(state: Any, key: int, value: int) -> Iterable[Row]:
    if state["count"] and value <= state["highest"]:
        return []
    state["count"] += 1
    state["highest"] = value
    return [(key, value)]


def plain_count(state: Any, amount: int = 1) -> int:
    state["count"] += amount
    return int(state["count"])


def refuse(wrong: bool, error: Exception) -> None:
    if wrong:
        raise error


def plain_wary(state: Any, key: int, value: int) -> Iterable[Row]:
    refuse(value % 211 == 7, ValueError("a value it does not like"))
    return [(key, value)] if value % 3 else []


def plain_sated(state: Any, key: int, value: int) -> Iterable[Row]:
    refuse(plain_count(state) == 150, OverflowError("it has had enough"))
    return [(key, value)]


def plain_marked(state: Any, key: int, value: int) -> Iterable[Row]:
    refuse(plain_count(state) == 7, ValueError("the seventh of its key"))
    return [(key, (value + state["count"]) % M)]


def plain_sated_by_key(state: Any, key: int, value: int) -> Iterable[Row]:
    refuse(plain_count(state) == 9, OverflowError("this key has had enough"))
    return [(key, value)]


def plain_choosy(state: Any, key: int, value: int) -> Iterable[Row]:
    refuse(value % 199 == 5, ValueError("a value that it would rather not have"))
    return [(key, value)] if value % 5 else []


PLAIN: dict[str, tuple[Plain, bool]] = {
    "raised": (lambda s, k, v: [(k, (17 * v + k) % M)], False),
    "kept": (lambda s, k, v: [(k, v)] if v % 3 else [], False),
    "rekeyed": (lambda s, k, v: [(v % 23 - 3, v)], False),
    "labelled": (lambda s, k, v: [(k, (v + (3 * v + k)) % M)], False),
    "choosy": (plain_choosy, False),
    "mapped": (lambda s, k, v: [(k, (31 * v + k) % M)], False),
    "odd": (lambda s, k, v: [(k, v)] if v % 2 else [], False),
    "even": (lambda s, k, v: [] if v % 2 else [(k, v)], False),
    "copied": (lambda s, k, v: [(k, v + j) for j in range(v % 4)], False),
    "tagged": (lambda s, k, v: [(k, (v + (v + k) % 1009) % M)], False),
    "totalled": (lambda s, k, v: [(k, plain_count(s, v) % M)], False),
    "numbered": (lambda s, k, v: [(k, (v + plain_count(s) - 1) % M)], False),
    "summed": (lambda s, k, v: [(k, plain_count(s, v) % M)], True),
    "highest": (plain_highest, True),
    "ranked": (lambda s, k, v: [(k, (v + plain_count(s)) % M)], True),
    "wary": (plain_wary, False),
    "sated": (plain_sated, False),
    "sated_by_key": (plain_sated_by_key, True),
    "marked_by_key": (plain_marked, True),
}
TUPLE_BY_TUPLE = ("raised", "kept", "labelled", "choosy")
REFUSING = ("choosy", "wary", "sated", "sated_by_key", "marked_by_key")


@functools.cache
def operators(name: str, numba: bool) -> list[Any]:
    """The function, decorated, and what folds its column: once for all tests, as Numba takes a second for each."""
    if name in ("mapped", "odd", "even", "wary"):
        return [streambench.stateless(emits=EMITTED, numba=numba)(globals()[name])]
    if name in ("raised", "kept", "choosy", "rekeyed", "unlabelled"):
        return [streambench.mapped(emits=EMITTED, numba=numba)(globals()[name])]
    match name:
        case "labelled":
            label = streambench.mapped(appends={"tag": "int16"}, numba=numba)(labelled)
            return [label, *operators("unlabelled", numba)]
        case "copied":
            return [streambench.stateless(emits=EMITTED, most=3, numba=numba)(copied)]
        case "folded":
            return [streambench.stateless(emits=EMITTED, numba=numba)(folded)]
        case "tagged":
            return [streambench.stateless(appends="tag", numba=numba)(tagged), *operators("folded", numba)]
        case "totalled" | "sated":
            return [streambench.stateful(state=COUNT, emits=EMITTED, numba=numba)(globals()[name])]
        case "numbered":
            numbers = streambench.stateful(state=COUNT, appends="tag", numba=numba)(numbered)
            return [numbers, *operators("folded", numba)]
        case "summed" | "highest" | "sated_by_key":
            high_key = 0 if name == "sated_by_key" else 12  # keys are -3 to 19: some near, some far
            keyed = streambench.keyed(key="key", state=COUNT, emits=EMITTED, high_key=high_key, numba=numba)
            return [keyed(globals()[name])]
        case "ranked" | "marked_by_key":
            keyed = streambench.keyed(key="key", state=COUNT, appends="tag", high_key=5, numba=numba)
            return [keyed(globals()[name]), *operators("folded", numba)]
    raise AssertionError(name)


class RefusedError(Exception):
    """Which operator refused its tuple number ``serial``, and why."""

    def __init__(self, name: str, serial: int, row: Row, why: str) -> None:
        self.told = (name, serial, row, why)


def expected(names: Iterable[str], rows: Iterable[Row]) -> tuple[list[Row], RefusedError | None]:
    """Every tuple through all operators before the next one."""
    chain = [(name, Twin(*PLAIN[name])) for name in names]
    given = [0] * len(chain)
    out: list[Row] = []

    def through(place: int, row: Row) -> Iterator[Row]:
        if place == len(chain):
            yield row
            return
        name, twin = chain[place]
        try:
            emitted = list(twin.push(row))
        except (ValueError, OverflowError) as error:
            raise RefusedError(name, given[place], row, f"{type(error).__name__}: {error}") from None
        given[place] += 1
        for each in emitted:
            yield from through(place + 1, each)

    try:
        for row in rows:
            for each in through(0, row):
                out.append(each)
    except RefusedError as refusal:
        return out, refusal
    return out, None
