"""A handshake join, on any number of threads, gives the naive join's rows, in the order of the other tiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_join import ROWS, Stream, naive_join
from sanitized import examples
from streambench.pyx.machine.yield_points import inject

from streambench.lab.measure.joins.handshake_crew import HandshakeCrew
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

THREADS = [1, 2, 3, 4, 8]
INT = np.int64


@pytest.fixture(autouse=True)
def no_yields_left_on() -> Iterator[None]:
    yield
    inject(0)


def define(left: Stream, right: Stream, widths: Any, window: int, rule: str = "exact") -> Definition:
    return Definition(left.ts, right.ts, list(zip(left.columns, right.columns, widths, strict=True)), window, rule)


def rows(crew: Any) -> ROWS:
    crew.run()
    left, right = crew.matches()
    return list(zip(left.tolist(), right.tolist(), strict=True))


def stream(seed: int, n: int, low: int, high: int, values: int = 30) -> Stream:
    """``n`` tuples of times from ``low`` to below ``high``, mostly with others of the same time."""
    random = np.random.default_rng(seed)
    return Stream(np.sort(random.integers(low, high, n)), (random.integers(0, values, n),))


PROBLEMS = {
    "two alike": (stream(1, 250, 0, 150), stream(2, 250, 0, 150), 20),
    "one side a few": (stream(1, 15, 0, 150), stream(2, 400, 0, 150), 20),
    "one side first": (stream(1, 300, 0, 100), stream(2, 300, 60, 200), 30),
    "one side alone": (stream(1, 300, 0, 100), stream(2, 0, 0, 1), 30),
    "all at one time": (stream(1, 90, 5, 6), stream(2, 110, 5, 6), 0),
    "a window of everything": (stream(1, 200, 0, 90), stream(2, 210, 0, 90), 2**63 - 1),
    "none": (stream(1, 0, 0, 1), stream(2, 0, 0, 1), 5),
}


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_handshake_join_gives_the_rows_of_scalejoin_in_its_order(problem: str, threads: int) -> None:
    left, right, window = PROBLEMS[problem]
    definition = define(left, right, (1,), window)
    want = rows(JoinCrew(definition, "scan"))
    for credit, one_in, seed in ((0, 0, 0), (1, 3, 1), (7, 4, 2)):
        inject(one_in, seed)
        crew = HandshakeCrew(definition, threads, credit)
        assert rows(crew) == want, (credit, one_in)
        assert sum(crew.compared) == definition.pairs  # each pair of a window meets once, at one of the threads


@st.composite
def problems(draw: st.DrawFn) -> tuple[Stream, Stream, tuple[int | None], int]:
    sides = []
    for _ in range(2):
        ts = sorted(draw(st.lists(st.integers(0, 20), max_size=40)))
        values = draw(st.lists(st.integers(0, 3), min_size=len(ts), max_size=len(ts)))
        sides.append(Stream(np.array(ts, INT), (np.array(values, INT),)))
    return sides[0], sides[1], (draw(st.sampled_from([None, 0, 1, 9])),), draw(st.integers(0, 12))


@examples(60)
@given(
    problem=problems(),
    threads=st.sampled_from([1, 2, 3, 5]),
    credit=st.sampled_from([1, 2, 64]),
    seed=st.integers(0, 2**32),
)
def test_any_small_join_is_the_naive_one(problem: Any, threads: int, credit: int, seed: int) -> None:
    inject(3, seed)
    crew = HandshakeCrew(define(*problem), threads, credit)
    assert rows(crew) == naive_join(*problem, "exact")
    assert sum(crew.compared) == pairs_in_windows(*problem)


def pairs_in_windows(left: Stream, right: Stream, widths: Any, window: int) -> int:
    """Pairs of which the times differ by the window at most."""
    return int((np.abs(left.ts[:, None] - right.ts[None, :]) <= window).sum())


@pytest.mark.parametrize("threads", [1, 3])
def test_time_may_begin_and_end_where_numbers_do(threads: int) -> None:
    big = 2**63 - 1
    side = Stream(np.array([-big - 1, -big, 0, big]), (np.zeros(4, INT),))
    for window in (1, big):
        definition = define(side, side, (None,), window)
        assert rows(HandshakeCrew(definition, threads)) == naive_join(side, side, (None,), window, "exact")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_tuples_that_only_fill_the_windows_are_not_compared_with_each_other(threads: int, share: float) -> None:
    left, right = stream(1, 700, 0, 500), stream(2, 600, 0, 500)
    terms = [(left.columns[0], right.columns[0], 2)]
    definition = Definition(left.ts, right.ts, terms, 90, "exact", compared_from=int(share * 1300))
    scale = JoinCrew(definition, "scan")
    scale.run()
    inject(3, 1)
    crew = HandshakeCrew(definition, threads)
    assert rows(crew) == list(zip(*(each.tolist() for each in scale.matches()), strict=True))
    assert sum(crew.compared) == definition.pairs
    assert share == 1 or 0 < crew.comparing_seconds <= crew.seconds


def test_threads_share_the_comparisons() -> None:
    definition = define(stream(1, 4000, 0, 4000), stream(2, 4000, 0, 4000), (1,), 300)
    crew = HandshakeCrew(definition, 3)
    crew.run()
    assert sum(crew.compared) == definition.pairs
    assert max(crew.compared) < 0.8 * definition.pairs


def test_what_is_raised_while_the_caller_waits_stops_the_line() -> None:
    n = 200_000
    values = np.arange(n)
    definition = Definition(values, values, [(values, values, None)], n, "exact")
    crew = HandshakeCrew(definition, 2)

    def interrupt(progress: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crew.run(interrupt)
    assert sum(crew.compared) < definition.pairs


def test_what_a_handshake_join_cannot_do_is_told() -> None:
    left, right, window = PROBLEMS["two alike"]
    for rule in ("three-step", "count"):
        with pytest.raises(ValueError, match="knows the window rule 'exact' only"):
            HandshakeCrew(define(left, right, (1,), window, rule))
    for threads, credit in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="must be at least 1"):
            HandshakeCrew(define(left, right, (1,), window), threads, credit)
