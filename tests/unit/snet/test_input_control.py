"""What waits for a slow box, or for who takes the output, is bounded; and no bound makes a run wait for ever."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_nets import forward_networks, in_order
from sanitized import examples
from test_front import VALUES, WORKERS, counted, outcome, program, records

from streambench.snet.boxes import Concurrency
from streambench.snet.front import Front
from streambench.snet.net import DiscardedRecordsWarning, Net
from streambench.snet.record import from_dict
from streambench.snet.syntax import Network

RUNTIMES = [("naive", 1), *(("front", workers) for workers in (1, 2, 3, 8)), ("threads", 1)]
CREDIT = 16
IN_STREAMS = (16 + 1) * 5  # a thread for each entity has bounded streams instead
A_WHILE = 0.03  # seconds, in which workers that nothing holds back take hundreds of records in


class Source:
    """Counts what has been asked for."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.taken = 0
        self._records = records

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for each in self._records:
            self.taken += 1
            yield each


def most(runtime: str) -> int:
    return {"naive": 1, "front": CREDIT, "threads": CREDIT + IN_STREAMS}[runtime] + 1


@pytest.mark.parametrize(("runtime", "workers"), RUNTIMES)
def test_no_more_is_taken_in_than_a_slow_consumer_takes_out(runtime: Any, workers: int) -> None:
    source = Source([{"a": k} for k in range(3000)])
    net = Net.parse("box f ((a) -> (a)); net X connect f | [{b} -> {b}];")
    ahead = []
    for got, _ in enumerate(net.run(source, {"f": lambda a: (a,)}, runtime=runtime, workers=workers, credit=CREDIT)):
        if got in (0, 1, 100, 1000):
            time.sleep(A_WHILE)
        ahead.append(source.taken - got)
    assert len(ahead) == 3000
    assert max(ahead) <= most(runtime)


@pytest.mark.parametrize(("runtime", "workers"), RUNTIMES)
def test_no_more_is_taken_in_than_a_slow_box_takes(runtime: Any, workers: int) -> None:
    ahead = []

    def f(a: int) -> dict[str, Any]:
        if a in (0, 1, 500):
            time.sleep(A_WHILE)
        ahead.append(source.taken - a)
        return {"a": a}

    source = Source([{"a": k} for k in range(2000)])
    net = Net.parse("box f ((a) -> (a)); net X connect f;")
    assert len(list(net.run(source, {"f": f}, runtime=runtime, workers=workers, credit=CREDIT))) == 2000
    assert max(ahead) <= most(runtime)


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_what_one_record_causes_waits_for_a_slow_consumer_too(workers: int) -> None:
    """The box is called as its records are taken, but for those that may wait, and one in each worker."""
    calls = 0

    def f(x: int) -> Any:
        nonlocal calls
        calls += 1
        return {"y": x}

    net = Net.parse(
        "box f ((<x>) -> (y)); net X connect [{<n>} -> if <n > 0> then {<x = n>}; {<n = n - 1>} else ] * {<x>} .. f;"
    )
    ahead = []
    for got, _ in enumerate(net.run([{"<n>": 2000}], {"f": f}, runtime="front", workers=workers, credit=CREDIT)):
        if got in (0, 1, 500):
            time.sleep(A_WHILE)
        ahead.append(calls - got)
    assert len(ahead) == 2000
    assert max(ahead) <= CREDIT + 2 * workers


@examples(100)
@given(forward_networks(), VALUES, WORKERS, st.integers(1, 4))
def test_a_bound_changes_nothing_but_when_records_come_in(
    network: Network, values: list[tuple[int, int, int]], workers: int, credit: int
) -> None:
    net, ordered = program(network), program(in_order(network))
    how: dict[str, Any] = {"runtime": "front", "workers": workers, "credit": credit}
    assert counted(outcome(net, records(values), **how)) == counted(outcome(net, records(values)))
    assert outcome(ordered, records(values), **how) == outcome(ordered, records(values))


WAITING = {
    "a cell": ("[| {a}, {b} |] * {a, b}", 1),
    "cells that are no single entity": ("[| {a}, {b} |] * {a, b}, {c}", 1),
    "a cell for each tag": ("[| {a}, {b} |] ! <k>", 1),
    "cells in order": ("([| {a}, {b} |] ** {a, b}, {c}) || [{c} -> {c}]", 1),
    "a cell behind a box": ("f .. [| {a}, {b} |] !! <k>", 4),
}


@pytest.mark.parametrize("credit", [1, 2, 7])
@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("name", WAITING)
def test_what_waits_in_cells_does_not_hold_the_input_back(name: str, workers: int, credit: int) -> None:
    """Fifty records wait in cells, whatever the bound, until the first of the others comes."""
    body, limit = WAITING[name]
    net = Net.parse(f"box f ((<k>) -> (<k>)); net X connect {body};")
    given_ = [{"a": k, "<k>": k} for k in range(50)] + [{"b": k, "<k>": k} for k in range(50)]
    boxes = {"f": lambda k: (k,)}
    naive = list(net.run(given_, boxes))
    assert len(naive) == 50
    how: dict[str, Any] = {"workers": workers, "credit": credit, "concurrency": Concurrency(others=limit)}
    assert counted(list(net.run(given_, boxes, runtime="front", **how))) == counted(naive)


@pytest.mark.parametrize("workers", [1, 3])
def test_sequences_that_have_ended_before_their_turn_count_as_on_their_way(workers: int) -> None:
    """Records that are dropped leave nothing but the word that they have: it waits for a slow box, and is bounded."""
    ahead = []

    def f(a: int) -> dict[str, Any]:
        time.sleep(A_WHILE)
        ahead.append(source.taken)
        return {"a": a}

    source = Source([{"a": 0}] + [{"b": k} for k in range(3000)])
    net = Net.parse("box f ((a) -> (a)); net X connect f || [{b} -> ];")
    how: dict[str, Any] = {"runtime": "front", "workers": workers, "credit": CREDIT}
    assert list(net.run(source, {"f": f}, **how)) == [{"a": 0}]
    assert ahead[0] <= CREDIT + 1
    assert source.taken == 3001


@examples(40)
@given(forward_networks(), VALUES, WORKERS)
def test_at_the_end_no_record_is_on_its_way(network: Network, values: list[tuple[int, int, int]], workers: int) -> None:
    """The count that holds the input back comes back to 0, whatever was joined, copied, hidden or dropped."""
    net = program(in_order(network) if workers % 2 else network)
    if outcome(net, records(values)) is None:
        return
    front = Front(net.program, net.network, net.signatures, {})
    list(front.run((from_dict(each).values for each in records(values)), workers, 2))
    assert front.moving == 0


@pytest.mark.parametrize("workers", [1, 4])
def test_what_is_left_in_cells_at_the_end_is_not_on_its_way(workers: int) -> None:
    net = Net.parse("net X connect ([| {a}, {b}, {c} |] * {a, b, c}) | [| {d}, {d, e} |] ! <k>;")
    given_ = [{"ab"[k % 2]: k} for k in range(20)] + [{"d": k, "e": k, "<k>": k % 3} for k in range(20)]
    front = Front(net.program, net.network, net.signatures, {})
    list(front.run((from_dict(each).values for each in given_), workers, 2))
    assert (front.moving, front.waiting) == (0, 10)
    with pytest.warns(DiscardedRecordsWarning):
        list(net.run(given_, runtime="front", workers=workers, credit=1))
