"""Entities and replicas that nobody needs any more go while a net runs, and nobody can tell but by the memory."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sanitized import examples, size
from streambench.pyx.machine.yield_points import inject
from test_front import WORKERS

from streambench.snet.boxes import Concurrency, functions
from streambench.snet.front import Front
from streambench.snet.net import DiscardedRecordsWarning, Net
from streambench.snet.record import from_dict

BOXES = """
    box f ((<k>) -> (<k>));
    box start (-> (<s>));
"""


def identity(k: int) -> Any:
    return (k,)


def start() -> Any:
    return (7,)


FUNCTIONS = {"f": identity, "start": start}
ROUNDS = size(1000, 500)
BOUND = 600  # living at a time, where without giving back there would be two for each of the rounds and more


def run(net: Net, records: list[dict[str, Any]], workers: int, calls: int = 1) -> tuple[list[dict[str, Any]], int]:
    """What comes out, and how many entities and frames there were at a time."""
    found = functions(net.boxes.values(), FUNCTIONS)
    how = Concurrency(others=calls)
    front = Front(net.program, net.network, net.signatures, found, concurrency=how)
    made = list(front.run((from_dict(each).values for each in records), workers, 8))
    assert front.moving == 0
    assert front.most_living is not None
    return made, front.most_living


def bag(records: list[dict[str, Any]]) -> Counter[tuple[tuple[str, Any], ...]]:
    """The records, in no order."""
    return Counter(tuple(sorted(each.items())) for each in records)


def joined(net: str) -> Net:
    return Net.parse(f"{BOXES} net X connect {net};")


ABOUT_A_TAG = {
    "a box": "f ! <k>",
    "two boxes": "(f .. f) ! <k>",
    "a box or nothing": "(f | [{b} -> {b}]) ! <k>",
    "in order": "(f || [{b} -> {b}]) ! <k>",
    "splits in order": "f !! <k>",
    "a star of cells as one": "([| {a}, {b} |] * {a, b}) ! <k>",
    "cells and a box": "(f .. [| {a}, {b} |] * {a, b}) !! <k>",
}


@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("name", ABOUT_A_TAG)
def test_replicas_of_a_split_that_are_as_new_do_not_add_up(name: str, workers: int, calls: int) -> None:
    """Each tag comes in two records, one soon after the other, and once more at the end."""
    net = joined(ABOUT_A_TAG[name])
    records = [{"ab"[half]: k, "<k>": k} for k in range(ROUNDS) for half in (0, 1)]
    records += records[: ROUNDS // 10]
    naive = list(net.run(records, FUNCTIONS))
    made, most = run(net, records, workers, calls)
    if "!!" in ABOUT_A_TAG[name]:
        assert made == naive
    assert bag(made) == bag(naive)
    assert most < BOUND + ROUNDS // 10


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("star", ["*", "**"])
def test_cells_of_a_star_that_are_over_do_not_add_up(star: str, workers: int) -> None:
    """What makes this star no single entity is its second exit."""
    net = joined(f"[| {{a}}, {{b}} |] {star} {{a, b}}, {{none}}")
    records = [{"ab"[half]: k} for k in range(ROUNDS) for half in (0, 1)]
    made, most = run(net, records, workers)
    expected = [{"a": k, "b": k} for k in range(ROUNDS)]
    assert bag(made) == bag(expected)
    if star == "**" or workers == 1:
        assert made == expected
    assert most < BOUND


def test_cells_that_are_over_go_though_some_wait() -> None:
    """A few cells wait at any time, not always the first ones."""
    net = joined("[| {a}, {b} |] * {a, b}, {none}")
    records = [{"a": k} for k in range(3)] + [{"ab"[half]: k} for k in range(3, ROUNDS) for half in (1, 0)]
    made, most = run(net, records, 1)
    assert bag(made) == bag([{"a": k - 3, "b": k} for k in range(3, ROUNDS)])
    assert most < BOUND


def test_all_stay_where_the_network_is_to_be_drawn() -> None:
    """So the bound above is one that a run may miss."""
    net = joined("([| {a}, {b} |] * {a, b}, {none}) ! <k>")
    found = functions(net.boxes.values(), FUNCTIONS)
    front = Front(net.program, net.network, net.signatures, found, unfold=True)
    records = [{"ab"[half]: k, "<k>": k} for k in range(ROUNDS) for half in (0, 1)]
    list(front.run((from_dict(each).values for each in records), 1))
    assert front.most_living is not None
    assert front.most_living > 2 * ROUNDS


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_of_replicas_whose_cells_are_over_nothing_is_left_but_the_tag(workers: int) -> None:
    """What comes later still finds its cell over."""
    net = joined("[| {a}, {b} |] ! <k>")
    records = [{"ab"[half]: k, "<k>": k} for k in range(ROUNDS) for half in (0, 1)]
    again = [{"a": -1, "<k>": k} for k in range(ROUNDS)]
    made, most = run(net, records + again, workers)
    assert bag(made) == bag([{"a": k, "b": k, "<k>": k} for k in range(ROUNDS)] + again)
    assert most < BOUND


@pytest.mark.parametrize("workers", [1, 3])
def test_a_replica_with_one_cell_over_keeps_the_others(workers: int) -> None:
    """What comes later is joined in those of its cells that are not over."""
    net = joined("([| {a}, {b} |] .. [| {c}, {d} |]) ! <k>")
    records = [{"ab"[half]: k, "<k>": k} for k in range(ROUNDS) for half in (0, 1)]
    later = [{"cd"[half]: k, "<k>": k} for k in range(ROUNDS) for half in (0, 1)]
    made, _ = run(net, records + later, workers)
    assert bag(made) == bag([{first: k, second: k, "<k>": k} for first, second in ("ab", "cd") for k in range(ROUNDS)])


@pytest.mark.parametrize("workers", [1, 3])
def test_an_initialiser_runs_once_in_a_replica_whatever_is_given_back(workers: int) -> None:
    net = joined("(start | f) ! <k>")
    records = [{"<k>": k % 300} for k in range(ROUNDS)]
    made, _ = run(net, records, workers)
    assert sum("<s>" in each for each in made) == 300


NETS = [
    "(f .. [| {a}, {b} |]) ! <k>",
    "(f .. [| {a}, {b} |]) !! <k>",
    "(([| {a}, {b} |] * {a, b}) .. f) !! <k>",
    "([| {a}, {b} |] ** {a, b}, {none}) ! <m>",
    "((f !! <m>) || [| {a}, {b} |]) !! <k>",
    "([| {a}, {b} |] ! <m>) * {a, b}, {none}",
    "(([{<m>, <n>} -> if <n % 2> then {<m>, <n = n / 2>} else {<m>, <n = n / 2>}] .. f) * {<n>} if <n == 0>) !! <k>",
]


@examples(60)
@given(st.sampled_from(NETS), st.integers(0, 10**6), WORKERS, st.sampled_from([0, 0, 2, 5]), st.integers(1, 3))
def test_what_leaves_is_the_same_though_replicas_come_and_go(
    body: str, seed: int, workers: int, chance: int, calls: int
) -> None:
    """Tags come in bursts, so that tables grow and empty again; some come back."""
    draw = random.Random(seed)
    net = joined(body)
    records = []
    for k in range(600):
        tag = k // 4 if draw.random() < 0.9 else draw.randrange(150)
        records.append({draw.choice("ab"): k, "<k>": tag, "<n>": draw.randrange(4), "<i>": k})
        if "||" not in body or tag % 2:
            records[-1]["<m>"] = tag % 70
    with warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning):
        naive = list(net.run(records, FUNCTIONS))
    inject(chance, seed)
    try:
        made, _ = run(net, records, workers, calls)
    finally:
        inject(0)
    if body.endswith("!! <k>"):
        assert made == naive
    assert bag(made) == bag(naive)
