"""FRONT gives what the naive interpreter does: the same records, of deterministic networks in the same order."""

from __future__ import annotations

import gc
import queue
import threading
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_nets import forward_networks, in_order
from sanitized import examples

from streambench.snet.errors import SnetError
from streambench.snet.net import DiscardedRecordsWarning, Net
from streambench.snet.syntax import Net as NetSyntax
from streambench.snet.syntax import (
    Network,
    Pattern,
    Program,
    Star,
    Sync,
)

VALUES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), max_size=40)
WORKERS = st.integers(1, 8)


def program(network: Network) -> Net:
    return Net(Program((NetSyntax("X", None, (), network),)))


def records(values: list[tuple[int, int, int]]) -> list[dict[str, Any]]:
    return [{"<n>": n, "<s>": s, "<p>": p, "f": k, "k": k} for k, (n, s, p) in enumerate(values)]


def outcome(net: Net, given: list[dict[str, Any]], **how: Any) -> list[dict[str, Any]] | None:
    """What comes out; None where a record cannot go on."""
    try:
        return list(net.run(given, **how))
    except SnetError:
        return None


def counted(made: list[dict[str, Any]] | None) -> Counter[str] | None:
    return None if made is None else Counter(map(str, made))


@examples(100)
@given(forward_networks(), VALUES, WORKERS)
def test_the_same_records_leave_whatever_the_workers(
    network: Network, values: list[tuple[int, int, int]], workers: int
) -> None:
    net = program(network)
    naive = outcome(net, records(values))
    assert counted(outcome(net, records(values), runtime="front", workers=workers)) == counted(naive)


@examples(100)
@given(forward_networks(), VALUES, WORKERS)
def test_deterministic_networks_give_the_same_sequence(
    network: Network, values: list[tuple[int, int, int]], workers: int
) -> None:
    net = program(in_order(network))
    assert outcome(net, records(values), runtime="front", workers=workers) == outcome(net, records(values))


@examples(20)
@given(forward_networks(), VALUES)
def test_a_thread_for_each_entity_gives_the_same_records(network: Network, values: list[tuple[int, int, int]]) -> None:
    net, ordered = program(network), program(in_order(network))
    naive = outcome(net, records(values))
    assert counted(outcome(net, records(values), runtime="threads")) == counted(naive)
    assert outcome(ordered, records(values), runtime="threads") == outcome(ordered, records(values))


CELL = Sync((Pattern(("<p>",)), Pattern(("<q>",)), Pattern(("<p>", "<r>"))))


@examples(100)
@given(
    st.lists(st.frozensets(st.sampled_from(("<p>", "<q>", "<r>")), min_size=1), max_size=30),
    st.sampled_from((CELL, Sync(CELL.patterns[:2]), Sync(CELL.patterns[1:]))),
    WORKERS,
)
def test_a_star_around_a_cell_joins_as_its_replicas_would(
    kinds: list[frozenset[str]], cell: Sync, workers: int
) -> None:
    """FRONT makes one entity of it. The others, which fit no pattern, would never leave: they do not come in."""
    joined = tuple(sorted({label for pattern in cell.patterns for label in pattern.labels}))
    net = program(Star(cell, (Pattern(joined),)))
    given_ = [
        dict.fromkeys(sorted(labels), k) | {"k": k}
        for k, labels in enumerate(kinds)
        if any(set(pattern.labels) <= labels for pattern in cell.patterns)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *words, **how: None)
        naive = list(net.run(given_))
        assert list(net.run(given_, runtime="front", workers=workers)) == naive
    assert len(joined) > 1


@examples(20)
@given(st.lists(st.integers(0, 2), max_size=60), WORKERS)
def test_boxes_within_deterministic_combinators_keep_the_order(values: list[int], workers: int) -> None:
    source = """
        box f ((a) -> (a, <k>) | (b));
        net X connect ((f .. ([{b} -> {a = b, <k>}; {a = b, <k = 1>}] || [])) !! <s>) || [{c} -> {a = c}];
    """

    def f(a: int) -> Any:
        return [{"b": a + 100}, {"a": a, "<k>": 5}][: a % 3]

    net = Net.parse(source)
    given_ = [{"a": k, "<s>": s} if s < 2 else {"c": k} for k, s in enumerate(values)]
    naive = list(net.run(given_, {"f": f}))
    assert list(net.run(given_, {"f": f}, runtime="front", workers=workers)) == naive


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("body", ["start || []", "(start | []) || [{z} -> {z}]", "(start | []) !! <n>"])
def test_what_an_initialiser_makes_has_the_place_of_the_record_that_came(body: str, workers: int) -> None:
    net = Net.parse(f"box start (-> (<s>)); net X connect {body};")
    given_ = [{"<n>": k} for k in range(3)]
    boxes = {"start": lambda: (7,)}
    naive = list(net.run(given_, boxes))
    assert list(net.run(given_, boxes, runtime="front", workers=workers)) == naive


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_streams_are_first_in_first_out_through_boxes(workers: int) -> None:
    net = Net.parse("box f ((a) -> (a)); net X connect f .. f .. f;")
    given_ = [{"a": k} for k in range(500)]
    assert list(net.run(given_, {"f": lambda a: (a,)}, runtime="front", workers=workers)) == given_


@pytest.mark.parametrize(("runtime", "workers"), [("front", 1), ("front", 4), ("threads", 1)])
def test_a_tree_of_records_is_added_up(runtime: Any, workers: int) -> None:
    source = """
        net fibonacci ({<N>} -> {<X>})
        {
            net Unfold connect [{<N>, <L>, <M>} -> if <N <= 1> then {<R = N>, <L>, <M>}
                else {<N = N - 1>, <L = L + 1>, <M = 2 * M>}; {<N = N - 2>, <L = L + 1>, <M = 2 * M + 1>}] * {<R>};
            net Pair connect [{<R>, <L>, <M>} ->
                    if <M % 2 == 0> then {<V = R>, <L>, <M = M / 2>} else {<W = R>, <L>}]
                .. ([| {<V>}, {<W>} |] * {<V>, <W>}) ! <L>
                .. [{<V>, <W>, <L>, <M>} -> {<R = V + W>, <L = L - 1>, <M>}];
            net Done connect [{<R>, <L>, <M>} -> if <L == 0> then {<X = R>} else {<R>, <L>, <M>}];
        }
        connect [{<N>} -> {<N>, <L = 0>, <M = 0>}] .. Unfold .. (Done .. (Pair | [{<X>} -> {<X>}])) \\ {<R>};
    """
    net = Net.parse(source)
    for n, value in ((0, 0), (1, 1), (2, 1), (5, 5), (10, 55), (15, 610)):
        assert list(net.run([{"<N>": n}], runtime=runtime, workers=workers)) == [{"<X>": value}]


def test_records_are_taken_in_as_workers_are_idle() -> None:
    """With one worker, no more than a handful has been taken in before what they caused has left."""
    taken, seen = 0, []

    def source() -> Iterator[dict[str, Any]]:
        nonlocal taken
        for k in range(2000):
            taken += 1
            yield {"a": k}

    def f(a: int) -> dict[str, Any]:
        seen.append(taken - a)
        return {"a": a}

    net = Net.parse("box f ((a) -> (a)); net X connect f;")
    assert len(list(net.run(source(), {"f": f}, runtime="front"))) == 2000
    assert max(seen) <= 2


class Value:
    """Something to be let go of."""


@pytest.mark.parametrize("runtime", ["front", "threads"])
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_left_behind(runtime: Any, fails: bool) -> None:
    alive: list[weakref.ref[Value]] = []

    def given_() -> Iterator[dict[str, Any]]:
        for k in range(200):
            value = Value()
            alive.append(weakref.ref(value))
            yield {"a" if k % 10 else "c": value, "<s>": k % 3, "rest": value}

    source = """
        net In ({a} -> {b}) connect [{a} -> {b = a}];
        net X connect ([{a, <s>} -> {a, <s>}; {c = a, <s>}] | []) .. ([| {a}, {c} |] * {a, c}) !! <s>
            .. (In | [{c} -> {<z = 1>}]) ** {<z>}, {b};
    """
    net = Net.parse(source.replace("{<z>}, {b}", "{none}") if fails else source)
    if fails:
        with pytest.raises(SnetError, match="no branch takes a record"):
            list(net.run(given_(), runtime=runtime, workers=2))
    else:
        with pytest.warns(DiscardedRecordsWarning):
            list(net.run(given_(), runtime=runtime, workers=2))
    gc.collect()
    assert len(alive) > 0
    assert not [each for each in alive if each() is not None]


@pytest.mark.parametrize("runtime", ["front", "threads"])
def test_a_run_can_be_left_early(runtime: Any) -> None:
    net = Net.parse("box f ((a) -> (a)); net X connect f;")
    run = net.run(({"a": k} for k in range(10**9)), {"f": lambda a: (a,)}, runtime=runtime, workers=2)
    assert next(run)["a"] >= 0
    run.close()


def test_records_leave_as_soon_as_they_are_there() -> None:
    """The source goes on only when what it gave has come out."""
    out: list[int] = []

    def source() -> Iterator[dict[str, Any]]:
        for k in range(20):
            asked.acquire()
            yield {"<n>": k}

    asked = threading.Semaphore(1)
    for made in Net.parse("net X connect [{<n>} -> {<n = n + 1>}];").run(source(), runtime="front", workers=2):
        out.append(made["<n>"])
        asked.release()
    assert out == list(range(1, 21))


def test_a_loop_without_an_end_can_be_left() -> None:
    net = Net.parse("net X connect ([{<n>} -> {<n>}] * {z} | [{a} -> {a}]);")
    run = net.run([{"a": 1}, {"<n>": 1}], runtime="front", workers=2)
    assert next(run) == {"a": 1}
    run.close()


def test_what_a_source_raises_comes_through() -> None:
    def source() -> Iterator[dict[str, Any]]:
        yield {"a": 1}
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        list(Net.parse("net X connect [];").run(source(), runtime="front"))


def test_what_never_leaves_a_star_is_told() -> None:
    with pytest.raises(SnetError, match=r"^<text>, line 1: a record with \{c\} never leaves the star\.$"):
        list(Net.parse("net X connect [| {a}, {b} |] * {a, b};").run([{"c": 1}], runtime="front"))


def test_records_that_have_left_come_out_while_a_box_is_busy() -> None:
    """The box goes on only when what has left before has come out."""
    came_out = threading.Event()
    in_time = []

    def f(b: int) -> dict[str, Any]:
        in_time.append(came_out.wait(20))
        return {"b": b}

    net = Net.parse("box f ((b) -> (b)); net X connect f | [{a} -> {a}];")
    for made in net.run([{"a": 1}, {"b": 2}], {"f": f}, runtime="front"):
        if made == {"a": 1}:
            came_out.set()
    assert in_time == [True]


def test_a_run_that_is_left_does_not_wait_for_its_source() -> None:
    """The thread that waits there ends when the source goes on."""
    go_on, gone_on = threading.Event(), threading.Event()

    def source() -> Iterator[dict[str, Any]]:
        yield {"a": 1}
        go_on.wait()
        gone_on.set()
        yield {"a": 2}

    run = Net.parse("net X connect [];").run(source(), runtime="front")
    assert next(run) == {"a": 1}
    run.close()
    assert not gone_on.is_set()
    before = threading.active_count()
    go_on.set()
    while threading.active_count() == before:
        gone_on.wait(0.01)


@pytest.mark.parametrize("runtime", ["naive", "front"])
@pytest.mark.parametrize("around", ["", " * {<a>, <b>, <c>}"])
def test_the_guard_of_a_slot_that_is_taken_is_not_asked(runtime: Any, around: str) -> None:
    """It would divide by zero."""
    net = Net.parse(f"net X connect [| {{<a>}} if <4 / a>, {{<b>}}, {{<c>}} |]{around};")
    given_ = [{"<a>": 1}, {"<a>": 0, "<b>": 1}, {"<c>": 1}]
    assert list(net.run(given_, runtime=runtime)) == [{"<a>": 1, "<b>": 1, "<c>": 1}]
    with pytest.raises(SnetError, match="4 / 0 is a division by zero"):
        list(net.run([{"<a>": 0}], runtime=runtime))


@pytest.mark.parametrize("where", ["source", "box", "initialiser", "emit"])
@pytest.mark.parametrize("workers", [1, 3])
def test_memory_that_python_refuses_ends_the_run(where: str, workers: int) -> None:
    def refuse(at: str) -> None:
        if at == where:
            raise MemoryError("refused")

    def source() -> Iterator[dict[str, Any]]:
        yield {"a": 1}
        refuse("source")
        yield {"a": 2}

    def f(a: int) -> dict[str, Any]:
        refuse("box")
        return {"a": a}

    def start() -> dict[str, Any]:
        refuse("initialiser")
        return {"a": 0}

    net = Net.parse("box f ((a) -> (a)); box start (-> (a)); net X connect f .. (start | []);")
    with pytest.MonkeyPatch.context() as patch:
        if where == "emit":
            patch.setattr("queue.SimpleQueue", Refusing)
        with pytest.raises((MemoryError, SnetError), match="refused"):
            list(net.run(source(), {"f": f, "start": start}, runtime="front", workers=workers))


class Refusing(queue.Queue[Any]):
    """Refuses what leaves, once."""

    refused = False

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if item is not None and not self.refused:
            self.refused = True
            raise MemoryError("refused")
        super().put(item, block, timeout)


def test_an_error_is_told_though_the_source_gives_nothing_more() -> None:
    go_on = threading.Event()

    def source() -> Iterator[dict[str, Any]]:
        yield {"b": 1}
        go_on.wait()

    with pytest.raises(SnetError, match="no branch takes a record"):
        list(Net.parse("net X connect [{a} -> {}] | [{c} -> {}];").run(source(), runtime="threads"))
    go_on.set()


def test_a_thread_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", start)
    with pytest.raises(OSError, match=r"no thread could be started \(can't start new thread\)"):
        list(Net.parse("net X connect [];").run([], runtime="front"))


@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_is_left_of_a_run_that_was_stopped_in_deterministic_combinators(workers: int) -> None:
    """Neither records that wait for their turn, nor sequences that have ended before it, nor what was not given out."""
    alive: list[weakref.ref[Value]] = []

    def source() -> Iterator[dict[str, Any]]:
        for k in range(1000):
            value = Value()
            alive.append(weakref.ref(value))
            yield {"a": value, "<k>": k}

    def f(k: int) -> dict[str, Any]:
        if k == 900:
            raise KeyError("enough")
        return {"<k>": k}

    source_text = """
        box f ((<k>) -> (<k>));
        net X connect ([| {<k>}, {z} |] !! <k> || [{a, <k>} -> if <k % 3 == 0> then {a, <k>} else ] .. f) .. (f || []);
    """
    with pytest.raises(SnetError, match="enough"):
        list(Net.parse(source_text).run(source(), {"f": f}, runtime="front", workers=workers))
    gc.collect()
    assert len(alive) > 0
    assert not [each for each in alive if each() is not None]


def test_objects_of_records_that_are_gone_are_let_go_of_during_a_run() -> None:
    """Also by workers that neither read nor call: no more than some thousands are kept."""
    count = most = 0

    class Counted:
        def __init__(self) -> None:
            nonlocal count
            count += 1

        def __del__(self) -> None:
            nonlocal count
            count -= 1

    def source() -> Iterator[dict[str, Any]]:
        nonlocal most
        for k in range(30_000):
            most = max(most, count)
            yield {"a": Counted(), "<s>": k % 7}

    net = Net.parse("net X connect [{a} -> ] ! <s>;")
    assert list(net.run(source(), runtime="front", workers=3)) == []
    assert most < 15_000


def test_a_cell_may_have_any_number_of_patterns() -> None:
    labels = [f"f{k}" for k in range(90)]
    for last in ("", " * {f0, f1}"):
        patterns = ", ".join(f"{{{each}}}" for each in [*labels, *labels[:20]])
        net = Net.parse(f"net X connect [| {patterns} |]{last};")
        given = [{each: 1, "k": k} for k, each in enumerate(labels)]  # one record fills two places
        made = list(net.run(given))
        assert len(made) == 1
        assert made == list(net.run(given, runtime="front")) == list(net.run(given, runtime="threads"))
