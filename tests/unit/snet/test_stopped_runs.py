"""A run that ends before its input does leaves nothing behind, and one that waits keeps nothing without need."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from many_labels import FAR, STRADDLING, many_labels

from streambench.snet.boxes import Concurrency
from streambench.snet.errors import SnetError
from streambench.snet.front import Front
from streambench.snet.net import Net

NET = """
    box f ((a) -> (a));
    net X connect ([| {a, <k>}, {z} |] * {a, z}, {<k>} if <k % 3 == 0>) .. (f !! <s> | [| {<z>}, {a} |]) .. (f || []);
"""


class Value:
    """Something to be let go of."""


class Values:
    """Records with values, of which it is known which are alive."""

    def __init__(self, records: int) -> None:
        self._alive: list[weakref.ref[Value]] = []
        self._records = records

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for k in range(self._records):
            made = Value()
            self._alive.append(weakref.ref(made))
            yield {"a": made, "<k>": 3 * k, "<s>": k % 5, "rest": made}
            del made

    def alive(self) -> int:
        return sum(each() is not None for each in self._alive)


def test_a_run_closed_by_ctrl_c_in_its_consumer_does_not_wait_for_its_boxes() -> None:
    busy, over = threading.Event(), threading.Event()

    def box(a: int) -> tuple[int]:
        if a:
            busy.set()
            over.wait(20)
            over.set()
        return (a,)

    net = Net.parse("box f ((a) -> (a)); net X connect f;")
    run = net.run([{"a": 0}, {"a": 1}], {"f": box}, runtime="front", workers=1)
    with pytest.raises(KeyboardInterrupt), closing(run):  # noqa: PT012
        next(run)
        busy.wait()
        raise KeyboardInterrupt
    assert not over.is_set()
    over.set()


@pytest.mark.parametrize("calls", [1, 2])
@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_is_left_of_a_run_whose_consumer_goes(workers: int, calls: int) -> None:
    values = Values(10**6)
    how: dict[str, Any] = {"workers": workers, "concurrency": Concurrency(others=calls)}
    run = Net.parse(NET).run(values, {"f": lambda a: (a,)}, runtime="front", **how)
    for _ in range(50):
        next(run)
    run.close()
    del run
    gc.collect()
    assert values.alive() == 0


@pytest.mark.parametrize("calls", [1, 2])
@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_is_left_of_a_run_whose_box_fails(workers: int, calls: int) -> None:
    seen = 0

    def f(a: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == 100:
            raise KeyError("enough")
        return (a,)

    values = Values(10**6)
    how: dict[str, Any] = {"workers": workers, "concurrency": Concurrency(others=calls)}
    with pytest.raises(SnetError, match="enough"):
        list(Net.parse(NET).run(values, {"f": f}, runtime="front", **how))
    gc.collect()
    assert values.alive() == 0


def test_nothing_is_left_of_a_record_of_which_a_value_is_refused() -> None:
    """What was made of it before the one that is no integer goes, too."""
    net = Net.parse("net X connect [{a, b, <k>} -> {a, b, <k>}];")
    front = Front(net.program, net.network, net.signatures, {})
    value = Value()
    alive = weakref.ref(value)
    record: dict[str, Any] = {"a": value, "b": value, "rest": value, "<k>": "none"}
    with pytest.raises(TypeError):
        list(front.run(iter([record]), 1))
    del value, record
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "net", ["[{a} -> ] ! <s>", "(f | [{b} -> {b}]) .. ([| {a}, {b} |] * {a, b}) .. [{a} -> ]", "[{a} -> {<n = 1>}]"]
)
def test_a_run_that_waits_for_records_keeps_none_that_are_gone(net: str, workers: int) -> None:
    """The source goes on when all that it gave has been let go of, or tells that it has not."""
    values = Values(100)
    left = -1

    def source() -> Iterator[dict[str, Any]]:
        nonlocal left
        for each in values:
            joined = each.pop("rest")
            yield each
            if "{b}" in net:
                yield {"b": 1}
            del each, joined
        for _ in range(2000):
            left = values.alive()
            if left == 0:
                return
            time.sleep(0.005)

    made = Net.parse(f"box f ((a) -> (a)); net X connect {net};").run(
        source(), {"f": lambda a: (a,)}, runtime="front", workers=workers
    )
    for _ in made:
        pass
    assert left == 0


def test_a_run_that_is_left_waits_for_a_box_also_while_another_worker_waits_for_the_source() -> None:
    calling, reading, go, over = (threading.Event() for _ in range(4))
    returned = False

    def f(a: Any) -> Any:
        nonlocal returned
        calling.set()
        go.wait()
        returned = True
        return (a,)

    def source() -> Iterator[dict[str, Any]]:
        yield {"b": 0}
        yield {"a": 1}
        reading.set()
        over.wait()

    run = Net.parse("box f ((a) -> (a)); net X connect f | [{b} -> {b}];").run(
        source(), {"f": f}, runtime="front", workers=2
    )
    try:
        next(run)
        calling.wait()
        reading.wait()
        threading.Timer(0.2, go.set).start()
        run.close()
        assert returned
    finally:
        go.set()
        over.set()


@pytest.mark.parametrize(("runtime", "workers"), [("front", 1), ("front", 2), ("threads", 1)])
@pytest.mark.parametrize("where", ["box", "source", "initialiser"])
def test_a_run_whose_last_name_goes_in_a_thread_of_its_own_ends(where: str, runtime: Any, workers: int) -> None:
    """It would wait for itself."""
    names: list[Any] = []
    left, forgotten = threading.Event(), threading.Event()

    def let_go(at: str) -> None:
        if at == where and left.wait(60) and names:
            names.clear()
            forgotten.set()

    def f(a: Any) -> Any:
        if a > 0:
            let_go("box")
        return (a,)

    def source() -> Iterator[dict[str, Any]]:
        yield {"a": 0}
        let_go("source")
        for k in range(1, 100):
            yield {"a": k, "<s>": k}

    def start() -> None:
        let_go("initialiser")

    net = Net.parse(
        "box f ((a) -> (a)); box start (-> (<z>)); net X connect f .. ([{<s>} -> {<s>}] .. (start | []) | []);"
    )
    before = threading.active_count()
    names.append(net.run(source(), {"f": f, "start": start}, runtime=runtime, workers=workers))
    next(names[0])
    left.set()
    assert forgotten.wait(60)
    while threading.active_count() > before:
        time.sleep(0.001)


def test_a_box_waits_for_a_run_of_its_own_that_it_leaves() -> None:
    inner = Net.parse("box g ((a) -> (a)); net Y connect g;")
    returned: list[Any] = []
    began, go = threading.Event(), threading.Event()

    def g(a: Any) -> Any:
        if a > 0:
            began.set()
            go.wait()
            returned.append(a)
        return (a,)

    def f(a: Any) -> Any:
        run = inner.run([{"a": 0}, {"a": 1}], {"g": g}, runtime="front")
        next(run)
        began.wait()
        threading.Timer(0.1, go.set).start()
        run.close()  # type: ignore[attr-defined]
        return (len(returned),)

    outer = Net.parse("box f ((a) -> (a)); net X connect f;")
    assert list(outer.run([{"a": 0}], {"f": f}, runtime="front")) == [{"a": 1}]


def test_a_run_whose_thread_says_nothing_at_its_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even memory for that was there."""

    class Refused(threading.Thread):
        def run(self) -> None:
            """Nothing."""

    monkeypatch.setattr("threading.Thread", Refused)
    assert list(Net.parse("net X connect [];").run([{"a": 1}], runtime="front")) == []


@pytest.mark.parametrize("before", [0, STRADDLING, FAR])
@pytest.mark.parametrize("runtime", ["front", "threads"])
def test_a_filter_lets_go_of_fields_that_it_overwrites(runtime: Any, before: int) -> None:
    """Of fields that its pattern asks for, and of those that it does not."""
    refs = []

    def given() -> Iterator[dict[str, Any]]:
        for _ in range(20):
            values = [Value(), Value(), Value()]
            refs.extend(map(weakref.ref, values))
            yield dict(zip(("a", "f", "rest"), values, strict=True))

    with many_labels(before):
        made = list(Net.parse("net X connect [{a} -> {f = a}] .. [{f} -> {f}];").run(given(), runtime=runtime))
    assert [sorted(each) for each in made] == [["f", "rest"]] * 20
    gc.collect()
    assert sum(ref() is not None for ref in refs) == 40
    del made
    gc.collect()
    assert not any(ref() is not None for ref in refs)
