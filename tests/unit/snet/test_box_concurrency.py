"""Several calls of one box at a time (paper 004, section 4.7): as many as are allowed, and records in order."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streambench.snet.boxes import Concurrency
from streambench.snet.net import Net


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_calls_than_allowed_are_under_way_and_as_many_are_reached(limit: int) -> None:
    inside = most = 0
    lock, reached = threading.Lock(), threading.Event()

    def f(a: int) -> Any:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            if inside == limit:
                reached.set()
        reached.wait(20)
        with lock:
            inside -= 1
        return {"a": a}

    net = Net.parse("box f ((a) -> (a)); net X connect f;")
    given_ = [{"a": k} for k in range(50)]
    made = list(net.run(given_, {"f": f}, runtime="front", workers=4, concurrency=Concurrency({"f": limit})))
    assert made == given_
    assert most == limit


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5), max_size=60), st.integers(1, 8), st.integers(1, 4))
def test_streams_stay_in_order_through_boxes_called_several_times(values: list[int], workers: int, limit: int) -> None:
    """Also where a box gives none or many, in nested deterministic combinators, and in a loop."""
    source = """
        box f ((a) -> (a, <k>) | (b));
        box g ((<n>) -> (<n>));
        net X connect (((f .. ([{b} -> {a = b, <k>}] || [])) !! <s>) || [{c} -> {a = c}]) .. g \\ {<back>};
    """

    def f(a: int) -> Any:
        return [{"b": a + 100}, {"a": a, "<k>": 5}, {"b": 7}][: a % 4]

    net = Net.parse(source)
    given_ = [{"a": k, "<s>": s % 3, "<n>": k} if s < 5 else {"c": k, "<n>": k} for k, s in enumerate(values)]
    boxes = {"f": f, "g": lambda n: (n + 1,)}
    naive = list(net.run(given_, boxes))
    how = Concurrency({"f": limit}, others=3)
    assert list(net.run(given_, boxes, runtime="front", workers=workers, concurrency=how)) == naive


def test_what_waits_while_an_initialiser_runs_is_taken_over() -> None:
    """The initialiser returns when another worker has called the box that its own one has put on the list."""
    called = threading.Event()

    def g(a: int) -> Any:
        called.set()
        return (a,)

    def start() -> Any:
        return (int(called.wait(20)),)

    net = Net.parse("""
        box g ((<a>) -> (<x>)); box h ((<b>) -> (<y>)); box start (-> (<s>));
        net X connect [{<n>} -> {<a = n>}; {<b = n>}; {<c = n>}] .. (g | h | [{<c>} -> {<c>}] .. (start | []));
    """)
    made = list(net.run([{"<n>": 1}], {"g": g, "h": lambda b: (b,), "start": start}, runtime="front", workers=2))
    assert {"<s>": 1} in made


def test_the_slowest_call_holds_back_what_came_after_it() -> None:
    """The first call ends when all others have: what they gave leaves after it."""
    others = threading.Semaphore(0)

    def f(a: int) -> Any:
        if a == 0:
            for _ in range(20):
                assert others.acquire(timeout=20)
        else:
            others.release()
        return {"a": a}

    net = Net.parse("box f ((a) -> (a)); net X connect f;")
    given_ = [{"a": k} for k in range(21)]
    how = Concurrency(others=9)
    assert list(net.run(given_, {"f": f}, runtime="front", workers=2, concurrency=how)) == given_
