"""Boxes that hold no GIL: Cython's by a capsule, Numba's by an address; the same from every runtime."""

from __future__ import annotations

import gc
import sys
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from many_labels import FAR, many_labels
from sanitized import SANITIZED
from streambench.pyx.front.native_box import ADDRESSES

from streambench.snet.boxes import Concurrency
from streambench.snet.errors import SnetError
from streambench.snet.net import Net

EACH = """
    box native_each ((<n>, v, t, x) -> (<k>, v, t) | (<k>, x));
    net X connect native_each .. ([{v} -> {v, w = v}] || []);
"""
RUNTIMES = ["naive", "front", "threads"]
not_sanitized = pytest.mark.skipif(SANITIZED, reason="no sanitizer looks into what Numba compiles")


@pytest.fixture(scope="module")
def boxes(probes: SimpleNamespace) -> Any:
    return probes.native_module


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_cython_function_gets_and_gives_arrays_without_the_gil(boxes: Any, runtime: Any) -> None:
    again = "[{a, <n>} -> {a, <n>, <k = n>}] .. native_scale"
    net = Net.parse(f"box native_scale ((a, <k>) -> (a, <n>)); net X connect native_scale .. {again};")
    made = list(net.run([{"a": np.array([1.0, 2.0]), "<k>": 3, "x": "kept"}] * 5, boxes, runtime=runtime))
    assert [(each["a"].tolist(), each["<n>"], each["x"]) for each in made] == [([6.0, 12.0], 2, "kept")] * 5


@pytest.mark.parametrize("before", [0, FAR])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_numbers_texts_and_whole_fields_come_through(boxes: Any, runtime: Any, before: int) -> None:
    given = [{"<n>": n, "v": 3, "t": "äb", "x": {"n": n}} for n in (0, 1, 3)]
    with many_labels(before):
        made = list(Net.parse(EACH).run(given, boxes, runtime=runtime))
    assert [each.keys() for each in made] == [{"<k>", "v", "w", "t"}] * 2 + [{"<k>", "x"}, {"<k>", "v", "w", "t"}]
    assert made[0]["v"] == made[0]["w"] == 1.5
    assert made[2]["x"] is given[2]["x"]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"<n>": -1, "v": 1.0, "t": "a", "x": 0}, "box native_each wants no negative number"),
        ({"<n>": 1, "v": "no", "t": "a", "x": 0}, "box native_each takes a field for a number that is none"),
        ({"<n>": 1, "v": 1.0, "t": object(), "x": 0}, "box native_each asks for the length of a field"),
    ],
)
def test_what_goes_wrong_in_a_native_box_is_told(boxes: Any, runtime: Any, record: Any, sentence: str) -> None:
    with pytest.raises(SnetError, match=rf"^<text>, line 2: {sentence}.*\.$"):
        list(Net.parse(EACH).run([record], boxes, runtime=runtime))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("value", [5, "x", np.array([1, 2])])
def test_no_memory_is_read_of_what_is_no_array_of_doubles(boxes: Any, runtime: Any, value: Any) -> None:
    net = Net.parse("box native_scale ((a, <k>) -> (a, <n>)); net X connect native_scale;")
    with pytest.raises(SnetError, match="box native_scale takes a field for an array of doubles that is none"):
        list(net.run([{"a": value, "<k>": 3}], boxes, runtime=runtime))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_integers_are_read_one_or_many_and_doubles_are_none(boxes: Any, runtime: Any) -> None:
    net = Net.parse("box native_sum ((a) -> (b)); net X connect native_sum;")
    made = list(net.run([{"a": np.array([1, 2])}, {"a": 5}], boxes, runtime=runtime))
    assert [each["b"] for each in made] == [3, 5]
    with pytest.raises(SnetError, match="takes a field for an array of 64-bit integers that is none"):
        list(net.run([{"a": np.array([1.0])}], boxes, runtime=runtime))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_number_is_not_read_as_a_text(boxes: Any, runtime: Any) -> None:
    with pytest.raises(SnetError, match="box native_each takes a field for a text that is none"):
        list(Net.parse(EACH).run([{"<n>": 1, "v": 1.0, "t": 7, "x": 0}], boxes, runtime=runtime))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_field_that_a_native_box_does_not_put_is_told(boxes: Any, runtime: Any) -> None:
    net = Net.parse("box native_lacking ((a) -> (b, <t>)); net X connect native_lacking;")
    with pytest.raises(SnetError, match="box native_lacking gives a record without one of its fields"):
        list(net.run([{"a": 1}], boxes, runtime=runtime))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_native_box_that_is_refused_memory_ends_the_run(boxes: Any, runtime: Any) -> None:
    net = Net.parse("box native_huge ((a) -> (b)); net X connect native_huge;")
    with pytest.raises(MemoryError, match=r"^out of memory: use .*$"):
        list(net.run([{"a": 1}], boxes, runtime=runtime))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_an_initialiser_that_is_refused_memory_ends_the_run(boxes: Any, runtime: Any) -> None:
    net = Net.parse("box native_huge (-> (b)); net X connect native_huge | [];")
    with pytest.raises(MemoryError, match=r"^out of memory: use .*$"):
        list(net.run([{"a": 1}], boxes, runtime=runtime))


def test_another_c_function_is_no_box(boxes: Any) -> None:
    net = Net.parse("box native_no_box ((a) -> (b)); net X connect native_no_box;")
    with pytest.raises(SnetError, match="line 1: box native_no_box has no function: it is a C function, but not"):
        list(net.run([], boxes))


def test_a_function_that_cython_has_checked_is_a_box(boxes: Any) -> None:
    net = Net.parse("box scale ((a, <k>) -> (a, <n>)); net X connect scale;")
    (made,) = net.run([{"a": np.array([1.0, 2.0]), "<k>": 3}], boxes.CHECKED)
    assert (made["a"].tolist(), made["<n>"]) == ([3.0, 6.0], 2)


@pytest.mark.parametrize("limited", [False, True])
def test_two_workers_are_in_native_boxes_at_the_same_time(boxes: Any, limited: bool) -> None:
    """They wait for each other: in two boxes, or in two calls of one."""
    twice = "native_meet | ([{<k>, <b>} -> {<k>, <b>}] .. native_meet)"
    net = Net.parse(f"box native_meet ((<k>) -> (<k>)); net X connect {'native_meet' if limited else twice};")
    given = [{"<k>": k} if k % 2 or limited else {"<k>": k, "<b>": 0} for k in range(100)]
    concurrency = Concurrency(others=2 if limited else 1)
    made = list(net.run(given, boxes, runtime="front", workers=2, concurrency=concurrency))
    assert sorted(each["<k>"] for each in made) == list(range(100))


@not_sanitized
def test_a_numba_function_compiled_for_c_is_a_box() -> None:
    numba = pytest.importorskip("numba")
    from streambench.snet import numba_calls as snet

    @numba.cfunc("void(voidptr)")  # type: ignore[untyped-decorator,unused-ignore]
    def scale(call: Any) -> None:
        size = snet.n_doubles(call, 0)
        given = numba.carray(snet.doubles(call, 0), (size,))
        snet.give(call, 0)
        out = numba.carray(snet.put_doubles(call, 0, size), (size,))
        for k in range(size):
            out[k] = given[k] * snet.tag(call, 1)
        snet.put_tag(call, 1, size)

    net = Net.parse("box scale ((a, <k>) -> (a, <n>)); net X connect scale;")
    for runtime in RUNTIMES:
        (made,) = net.run([{"a": np.array([1.0, 2.0]), "<k>": 3}], {"scale": scale}, runtime=runtime)  # type: ignore[arg-type]
        assert (made["a"].tolist(), made["<n>"]) == ([3.0, 6.0], 2)

    @numba.cfunc("float64(float64)")  # type: ignore[untyped-decorator,unused-ignore]
    def other(a: float) -> float:
        return a

    with pytest.raises(SnetError, match=r"Numba's cfunc must be void\(voidptr\)"):
        list(net.run([], {"scale": other}))


@not_sanitized
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("late", "sentence"),
    [(False, "box f raised an exception, which is told on standard error"), (True, "out of memory")],
)
def test_what_a_numba_function_raises_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, runtime: Any, late: bool, sentence: str
) -> None:
    numba = pytest.importorskip("numba")
    from streambench.snet import numba_calls as snet

    @numba.cfunc("void(voidptr)")  # type: ignore[untyped-decorator,unused-ignore]
    def f(call: Any) -> None:
        snet.give(call, 0)
        snet.put_tag(call, 1, 1)
        snet.put_doubles(call, 0, 1 << 61 if late else 8)
        if snet.tag(call, 0) == 3:
            raise ValueError("three")

    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: heard.append(str(each.exc_value)))
    net = Net.parse("box f ((<k>) -> (a, <n>)); net X connect f;")
    with pytest.raises((SnetError, MemoryError), match=sentence):
        list(net.run([{"<k>": k} for k in range(5)], {"f": f}, runtime=runtime))  # type: ignore[dict-item]
    assert heard == ([] if late else ["three"])


def test_numba_calls_are_those_that_cython_has() -> None:
    from streambench.snet import numba_calls as snet

    assert all(hasattr(snet, name) for name in ADDRESSES)


def test_fields_of_native_boxes_are_let_go_of(boxes: Any) -> None:
    class Value:
        pass

    alive = []

    def given() -> Any:
        for k in range(200):
            value = Value()
            alive.append(weakref.ref(value))
            yield {"<n>": k % 4, "v": 1.0, "t": "abc", "x": value}
        yield {"<n>": -1, "v": 1.0, "t": "abc", "x": Value()}

    with pytest.raises(SnetError, match="negative"):
        list(Net.parse(EACH).run(given(), boxes, runtime="front", workers=2))
    gc.collect()
    assert len(alive) == 200
    assert not [each for each in alive if each() is not None]


def test_large_arrays_are_let_go_of_while_records_wait(boxes: Any) -> None:
    """A thread whose stream is never empty lets them go, too."""
    alive: list[weakref.ref[Any]] = []
    most = 0

    def given() -> Any:
        nonlocal most
        for _ in range(500):
            value = np.ones(50_000)  # slower to scale than to make
            alive.append(weakref.ref(value))
            most = max(most, sum(each() is not None for each in alive))
            yield {"a": value, "<k>": 1}

    net = Net.parse("box native_scale ((a, <k>) -> (a, <n>)); net X connect native_scale;")
    assert len(list(net.run(given(), boxes, runtime="threads"))) == 500
    assert most <= 64 + 3 * 16  # dead in the box's thread, and alive in the streams before it
