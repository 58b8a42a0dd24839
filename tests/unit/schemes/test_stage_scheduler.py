"""The scheduler's decisions against formulas over all that was ever counted, worked out anew for each decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streambench.execution.options import HEURISTICS
from streambench.pyx.schemes import heuristics
from streambench.pyx.table_source import TableSource

TUPLES = 50  # of the stream
SLICE = 1000.0
WINDOW = 700
CAPACITY = 300.0


@dataclass
class Counted:
    """What a stage has counted, and how much of it has faded."""

    max_workers: int
    enqueued: int = 0
    dequeued: int = 0
    workers: int = 0
    ticks: int = 0
    given: int = 0
    made: int = 0
    faded_ticks: int = 0
    faded_given: int = 0
    faded_made: int = 0
    window_began: int = 0

    def fade(self) -> None:
        self.window_began = self.ticks
        self.faded_ticks = (self.faded_ticks + self.ticks) // 2
        self.faded_given = (self.faded_given + self.given) // 2
        self.faded_made = (self.faded_made + self.made) // 2

    def state(self) -> dict[str, Any]:
        """Section 6 of the paper, from totals."""
        given, spent = self.given - self.faded_given, self.ticks - self.faded_ticks
        measured = given > 0 and spent > 0
        waiting = self.enqueued - self.dequeued
        return {
            "schedulable": waiting > 0 and self.workers < self.max_workers,
            "worklist": max(0, waiting),
            "workers": self.workers,
            "max_workers": self.max_workers,
            "cost": spent / given if measured else 0.0,
            "selectivity": (self.made - self.faded_made) / given if measured else 1.0,
            "window_time": float(self.ticks - self.window_began),
        }


State = dict[str, Any]


def first_best(states: list[State], value: Callable[[int], float]) -> int:
    """The first schedulable operator with the lowest value, -1 if there is none."""
    return min((k for k, each in enumerate(states) if each["schedulable"]), key=lambda k: (value(k), k), default=-1)


def cumulative(states: list[State]) -> list[float]:
    products: list[float] = []
    for each in states:
        products.append((products[-1] if products else 1.0) * each["selectivity"])
    return products


def naive_qst(states: list[State]) -> int:
    products = cumulative(states)
    total = reduce(lambda one, other: one + other, products, 0.0)

    def throttled(k: int) -> bool:
        waiting = states[k + 1]["worklist"] if k + 1 < len(states) else 0
        return waiting != 0 and not waiting * total < CAPACITY * products[k]

    return next((k for k, each in enumerate(states) if each["schedulable"] and not throttled(k)), -1)


def naive_lp(states: list[State]) -> int:
    return first_best(states, lambda k: -k)


def naive_et(states: list[State]) -> int:
    def minus_time(k: int) -> float:
        each = states[k]
        return -(each["worklist"] * each["cost"] / (each["workers"] + 1)) if each["cost"] else float("-inf")

    return first_best(states, minus_time)


def naive_ct(states: list[State]) -> int:
    before = [1.0]
    for each in states:
        before.append(max(before[-1] * each["selectivity"], 1e-9))

    def throughput(k: int) -> float:
        each = states[k]
        spent = each["window_time"] + each["workers"] * SLICE
        return spent / (each["cost"] * before[k]) if each["cost"] else float("-inf")

    return first_best(states, throughput)


NAIVE = {"qst": naive_qst, "lp": naive_lp, "et": naive_et, "ct": naive_ct, "walk": naive_lp}


class Both:
    """The runtime's stages and scheduler, and their model: what happens, happens to both."""

    def __init__(self, probes: SimpleNamespace, name: str, n: int) -> None:
        source = TableSource([np.arange(TUPLES)], ["a"])
        self.scheduled = probes.Scheduled(source, n, heuristics.make(name, CAPACITY), SLICE, WINDOW)
        self.counted = [Counted(max_workers=1 << 30) for _ in range(n - 1)] + [Counted(max_workers=1)]
        self.naive = NAIVE[name]
        self.now, self.window_end = 1, 0

    def enqueue(self, place: int, tuples: int) -> None:
        if place > 0:
            self.scheduled.enqueue(place, tuples)
            self.counted[place].enqueued += tuples

    def begin(self, place: int) -> None:
        self.scheduled.begin(place)
        self.counted[place].workers += 1

    def end(self, place: int, taken: int, made: int, elapsed: int) -> None:
        stage = self.counted[place]
        if stage.workers == 0:
            return
        if place > 0:
            taken = min(taken, stage.enqueued - stage.dequeued)
            stage.dequeued += taken
        self.scheduled.take(place, taken, made)
        self.scheduled.end(place, elapsed)
        stage.given += taken
        stage.made += made
        stage.ticks += elapsed
        stage.workers -= 1

    def choose(self, passed: int, vain: int) -> None:
        self.now += passed
        if self.now > self.window_end:
            self.window_end = self.now + WINDOW
            for each in self.counted:
                each.fade()
        chosen = self.scheduled.choose(self.now, vain)
        states = self.states()
        assert [self.scheduled.state(k) for k in range(len(states))] == states
        for k, each in enumerate(states):
            each["schedulable"] = each["schedulable"] and not vain >> k & 1
        assert chosen == self.naive(states)

    def states(self) -> list[State]:
        states = [each.state() for each in self.counted]
        states[0] |= {"schedulable": True, "worklist": TUPLES}  # the source: nothing is admitted here
        return states


places = st.integers(0, 23)
tuples = st.one_of(st.integers(0, 5), st.integers(0, 500))
events = st.one_of(
    st.tuples(st.just("enqueue"), places, st.integers(1, 500)),
    st.tuples(st.just("begin"), places),
    st.tuples(st.just("end"), places, tuples, tuples, st.integers(0, 5000)),
    st.tuples(st.just("choose"), st.integers(0, 400), st.one_of(st.just(0), st.integers(0, (1 << 24) - 1))),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", HEURISTICS)
@settings(max_examples=60)
@given(n=st.integers(2, 24), happens=st.lists(events, min_size=20, max_size=150))
def test_decisions_are_those_of_the_formulas_over_all_that_was_counted(
    probes: SimpleNamespace, name: str, n: int, happens: list[Any]
) -> None:
    both = Both(probes, name, n)
    for what, *rest in happens:
        if what != "choose":
            rest[0] %= n
        getattr(both, what)(*rest)
    both.choose(1, 0)


def test_a_visit_counts_what_it_has_taken_out_before_its_end_and_all_of_it_then(probes: SimpleNamespace) -> None:
    """One read-modify-write for many tuples; others are not told of a worklist that has long been empty."""
    scheduled = probes.Scheduled(TableSource([np.arange(TUPLES)], ["a"]), 3, heuristics.make("ct", CAPACITY))
    scheduled.enqueue(1, 1000)
    scheduled.begin(1)
    for taken in range(1, 301):
        scheduled.take(1, 1, 1)
        assert 1000 - taken <= scheduled.state(1)["worklist"] < 1000 - taken + 64
    scheduled.end(1, 10)
    assert scheduled.state(1)["worklist"] == 700


def test_a_visit_is_a_time_slice_long_by_the_measured_cost_and_a_unit_before_there_is_one(
    probes: SimpleNamespace,
) -> None:
    def budgets(name: str) -> list[int]:
        source = TableSource([np.arange(TUPLES)], ["a"])
        scheduled = probes.Scheduled(source, 3, heuristics.make(name, CAPACITY), SLICE)
        first = scheduled.budget(1, 64)
        scheduled.begin(1)
        scheduled.take(1, 10, 10)
        scheduled.end(1, 50)
        return [first, scheduled.budget(1, 64)]

    assert budgets("ct") == [64, 201]
    assert budgets("walk") == [64, 64]
