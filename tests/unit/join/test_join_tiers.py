"""Every tier, on any number of threads, gives the naive join's rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_join import ROWS, Stream, naive_join
from sanitized import examples, size
from streambench.pyx.join.scan_tier import CodesTier, ScanTier, best_level

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import TIERS, JoinCrew

RULES = ("exact", "three-step", "count")
BIG = 2**63 - 1
INT = np.int64


def joined(
    left: Stream,
    right: Stream,
    widths: Any,
    window: int,
    rule: str,
    tier: str,
    threads: int = 1,
    batch: int = 0,
) -> ROWS:
    terms = list(zip(left.columns, right.columns, widths, strict=True))
    crew = JoinCrew(Definition(left.ts, right.ts, terms, window, rule), tier, threads, batch)
    crew.run()
    rows = crew.matches()
    return list(zip(rows[0].tolist(), rows[1].tolist(), strict=True))


def stream(seed: int, n: int, *columns: Any, span: int = 100) -> Stream:
    """``columns``: functions of a generator and a length."""
    random = np.random.default_rng(seed)
    ts = np.sort(random.integers(-span, span, n))
    return Stream(ts, tuple(make(random, n) for make in columns))


def whole(low: int, high: int) -> Any:
    return lambda random, n: random.integers(low, high, n)


def single(low: float, high: float) -> Any:
    return lambda random, n: random.uniform(low, high, n).astype(np.float32)


def double(low: float, high: float) -> Any:
    return lambda random, n: random.uniform(low, high, n)


def skewed(random: np.random.Generator, n: int) -> Any:
    return np.minimum(random.zipf(1.3, n), 10**12).astype(INT)


def special(type: Any) -> Any:
    values = np.array(
        [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e30, np.finfo(type).max, np.finfo(type).tiny], type
    )
    return lambda random, n: random.choice(values, n)


def huge(random: np.random.Generator, n: int) -> Any:
    return random.choice(np.array([-BIG - 1, -BIG, BIG, BIG - 3, 0, 2**32, 2**40 + 1, 2**40 + 5], INT), n)


def apart(step: int) -> Any:
    """Whole numbers some steps apart, and their neighbours."""
    return lambda random, n: random.integers(-2, 3, n) * step + random.integers(-2, 3, n)


CASES = {
    "the paper's two bands": ((whole(1, 300), single(1, 300)), (10, 10)),
    "a band of integers": ((whole(-50, 50),), (2,)),
    "a band of doubles": ((double(-5, 5),), (0.125,)),
    "an equality": ((whole(0, 40),), (None,)),
    "an equality and a band": ((whole(0, 10), double(0, 10)), (None, 0.5)),
    "two equalities": ((whole(0, 6), whole(0, 6)), (None, None)),
    "three terms": ((whole(0, 30), single(0, 30), whole(0, 3)), (5, 5.5, None)),
    "no term": ((), ()),
    "heavy skew": ((skewed,), (None,)),
    "heavy skew in a band": ((skewed, whole(0, 100)), (1, 30)),
    "huge values, equal": ((huge,), (None,)),
    "huge values, near": ((huge,), (4,)),
    "huge values, a huge band": ((huge, whole(0, 10)), (2**62, 1)),
    "numbers and none, single": ((special(np.float32),), (1.0,)),
    "numbers and none, double": ((special(np.float64), whole(0, 5)), (1e300, 2)),
    "equal doubles": ((special(np.float64),), (0.0,)),
    "far floats": ((double(1e15, 1e15 + 64),), (3.0,)),
    "as far apart as codes tell": ((apart(2**24 // 4 - 4),), (1,)),
    "as far apart as codes go round": ((apart(2**24),), (1,)),
    "further apart than 32 bits": ((apart(2**32), apart(3)), (4, 5)),
    "the least band there is": ((lambda random, n: random.integers(-4, 5, n) * 5e-324,), (5e-324,)),
    "a float band of a tenth": ((lambda random, n: (random.integers(0, 60, n) / 10).astype(np.float32),), (0.1,)),
}


TIERS_OF_CASES = [(case, tier) for case in CASES for tier in TIERS if CASES[case][1] or tier != "index"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("case", "tier"), TIERS_OF_CASES)
def test_a_tier_gives_the_naive_joins_rows_in_its_order(case: str, rule: str, tier: str) -> None:
    makes, widths = CASES[case]
    left, right = stream(1, size(150, 70), *makes), stream(2, size(130, 60), *makes)
    for window in (0, 7, 60):
        want = naive_join(left, right, widths, window, rule)
        assert joined(left, right, widths, window, rule, tier) == want, window
        assert joined(left, right, widths, window, rule, tier, batch=1) == want, window


@pytest.mark.parametrize("tier", TIERS)
def test_the_output_does_not_depend_on_the_number_of_threads(tier: str) -> None:
    for case in ("the paper's two bands", "heavy skew", "an equality and a band", "no term"):
        if (case, tier) not in TIERS_OF_CASES:
            continue
        makes, widths = CASES[case]
        left, right = stream(3, size(500, 200), *makes), stream(4, size(600, 220), *makes)
        for rule in RULES:
            one = joined(left, right, widths, 30, rule, "scan")
            assert len(one) > 0, case
            for threads in (1, 2, 3, 4, 8):
                assert joined(left, right, widths, 30, rule, tier, threads, batch=5) == one, (case, rule, threads)
                assert joined(left, right, widths, 30, rule, tier, threads) == one, (case, rule, threads)


@pytest.mark.parametrize("tier", TIERS)
def test_equal_timestamps_are_ordered_by_side_then_row(tier: str) -> None:
    left, right = (Stream(np.full(n, 5), (np.zeros(n, INT),)) for n in (3, 2))
    want = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    for rule in ("exact", "three-step"):
        for threads in (1, 3):
            assert joined(left, right, (None,), 0, rule, tier, threads) == want


@pytest.mark.parametrize("type", ["float32", "float64"])
@pytest.mark.parametrize("hidden", [0, 1], ids=["left", "right"])
def test_a_value_far_away_matches_nothing_beside_one_that_is_no_number(hidden: int, type: str) -> None:
    """Its code is that of 0 modulo 2^32, and what is no number hides how far the column goes."""
    ts = np.zeros(4, INT)
    sides = [Stream(ts, (np.zeros(4, type),)), Stream(ts, (np.array([1e30, 2.0**24, np.nan, 5], type),))]
    assert joined(*(sides if hidden else sides[::-1]), [1.0], 1, "exact", "index") == []


@pytest.mark.parametrize("tier", TIERS)
def test_a_float32_band_as_wide_as_there_are_numbers_leaves_out_what_is_infinite(tier: str) -> None:
    most = np.finfo(np.float32).max
    values = np.array([most, 1, np.inf, -np.inf, np.nan, -1], np.float32)
    side = Stream(np.zeros(6, INT), (values,))
    want = [(a, b) for b in (0, 1, 5) for a in (0, 1, 5)]
    assert sorted(joined(side, side, [1e300], 0, "exact", tier)) == sorted(want)


def looked_at(values: Any, width: float) -> float:
    """Which share of the pairs in windows an index looks at."""
    ts = np.arange(len(values))
    definition = Definition(ts, ts, [(values, values, width)], len(values), "exact")
    crew = JoinCrew(definition, "index")
    crew.run()
    return float(crew.compared[0] / definition.pairs)


def test_a_float32_band_that_is_rounded_to_nothing_is_an_equality() -> None:
    assert looked_at(np.arange(3000, dtype=np.float32), 1e-46) < 0.05


@pytest.mark.parametrize("type", ["float32", "float64"])
@pytest.mark.parametrize("nothing", [np.nan, np.inf, -np.inf])
def test_an_index_neither_stores_nor_looks_for_what_matches_nothing(nothing: float, type: str) -> None:
    values = np.random.default_rng(6).uniform(0, 1, 4000).astype(type)
    values[values > 0.1] = nothing
    assert looked_at(values, 1e-4) < 0.002


@pytest.mark.parametrize("tier", TIERS)
def test_a_side_without_tuples_gives_no_match(tier: str) -> None:
    none, some = stream(0, 0, whole(0, 1)), stream(0, 50, whole(0, 1))
    for left, right in ((none, some), (some, none), (none, none)):
        for rule in RULES:
            assert joined(left, right, (None,), 100, rule, tier, threads=2) == []


@pytest.mark.parametrize("tier", TIERS)
def test_the_rules_differ_where_a_side_is_silent(tier: str) -> None:
    """The paper's example of section III: a tuple stays until a later one of its own side comes."""
    left = Stream(np.array([1, 9]), (np.zeros(2, INT),))
    right = Stream(np.array([6]), (np.zeros(1, INT),))
    assert joined(left, right, (None,), 4, "exact", tier) == [(1, 0)]
    assert joined(left, right, (None,), 4, "three-step", tier) == [(0, 0), (1, 0)]


@pytest.mark.parametrize("tier", TIERS)
def test_time_may_begin_and_end_where_numbers_do(tier: str) -> None:
    ts = np.array([-BIG - 1, -BIG, 0, BIG])
    side = Stream(ts, (np.zeros(4, INT),))
    for rule in ("exact", "three-step"):
        for window in (1, BIG):
            want = naive_join(side, side, (None,), window, rule)
            assert joined(side, side, (None,), window, rule, tier) == want


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, ...]:
    types = draw(st.lists(st.sampled_from(["int64", "float32", "float64"]), max_size=3))
    widths: list[Any] = []
    for type in types:
        if type == "int64":
            widths.append(draw(st.sampled_from([None, 0, 1, 3, 2**40])))
        else:
            widths.append(draw(st.sampled_from([0.0, 0.1, 1.0, 2.5])))
    sides = []
    for _ in range(2):
        n = draw(st.integers(0, 40))
        ts = np.sort(np.array(draw(st.lists(st.integers(0, 30), min_size=n, max_size=n)), INT))
        columns = []
        for type in types:
            elements: Any = st.integers(-6, 6) | st.integers(-(2**63), 2**63 - 1)
            if type != "int64":
                elements = st.sampled_from([0.1, 0.2, 0.3, 1.0, 1.1, 2.5, 3.6, -2.5, float("nan"), float("inf"), -0.0])
            columns.append(np.array(draw(st.lists(elements, min_size=n, max_size=n)), type))
        sides.append(Stream(ts, tuple(columns)))
    return sides[0], sides[1], widths, draw(st.integers(0, 12)), draw(st.sampled_from(RULES))


@pytest.mark.parametrize("tier", TIERS)
@examples(60)
@given(problem=problems(), threads=st.sampled_from([1, 2, 3]), batch=st.sampled_from([1, 3, 256]))
def test_any_small_join_is_the_naive_one(tier: str, problem: Any, threads: int, batch: int) -> None:
    if tier == "index" and not problem[2]:
        with pytest.raises(ValueError, match="an index needs a band or an equality"):
            joined(*problem, tier, threads, batch)
        return
    assert joined(*problem, tier, threads, batch) == naive_join(*problem)


@pytest.mark.parametrize("level", range(best_level() + 1))
@pytest.mark.parametrize("kind", [ScanTier, CodesTier])
@pytest.mark.parametrize("case", ["the paper's two bands", "an equality", "heavy skew"])
def test_a_scan_finds_the_same_with_every_width_of_vectors(
    case: str, kind: Any, level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def tier(definition: Definition, number: int, threads: int) -> Any:
        made.append(kind(definition, number, threads, level))
        return made[-1]

    monkeypatch.setitem(TIERS, "simd", tier)
    makes, widths = CASES[case]
    left, right = stream(8, 600, *makes), stream(9, 601, *makes)
    for batch in (1, 3, 7, 256):
        want = joined(left, right, widths, 70, "exact", "scan", batch=batch)
        assert joined(left, right, widths, 70, "exact", "simd", batch=batch) == want
    assert len(made) == 4
    assert len(want) > 0


@pytest.mark.parametrize("tier", ["scan", "simd"])
def test_threads_share_the_comparisons_of_a_scan(tier: str) -> None:
    makes, widths = CASES["the paper's two bands"]
    left, right = stream(3, 4000, *makes), stream(4, 4000, *makes)
    terms = list(zip(left.columns, right.columns, widths, strict=True))
    definition = Definition(left.ts, right.ts, terms, 100, "exact")
    for threads in (1, 3):
        crew = JoinCrew(definition, tier, threads)
        crew.run()
        assert sum(crew.compared) == definition.pairs
        assert max(crew.compared) < 1.05 * definition.pairs / threads


def test_an_index_looks_at_a_small_part_of_the_window() -> None:
    makes, widths = CASES["the paper's two bands"]
    left, right = stream(3, 8000, *makes), stream(4, 8000, *makes)
    terms = list(zip(left.columns, right.columns, widths, strict=True))
    definition = Definition(left.ts, right.ts, terms, 100, "exact")
    crew = JoinCrew(definition, "index")
    crew.run()
    assert 0 < crew.compared[0] < definition.pairs / 10


@pytest.mark.parametrize("tier", ["scan", "simd"])
def test_ctrl_c_ends_a_join_and_its_threads(tier: str) -> None:
    """What is raised while the caller waits stops the workers, and is raised again when all have returned."""
    n = 200_000
    values = np.arange(n)
    definition = Definition(values, values, [(values, values, None)], n, "exact")
    crew = JoinCrew(definition, tier, 2)
    before = psutil.Process().num_threads()

    def interrupt(progress: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crew.run(interrupt)
    assert sum(crew.compared) < definition.pairs
    assert psutil.Process().num_threads() == before


@pytest.mark.parametrize("tier", TIERS)
def test_a_join_that_begins_with_full_windows_gives_what_is_left_of_the_whole(tier: str) -> None:
    makes, widths = CASES["the paper's two bands"]
    left, right = stream(3, 150, *makes), stream(4, 170, *makes)
    terms = list(zip(left.columns, right.columns, widths, strict=True))
    order = sorted((int(ts), side, row) for side, each in enumerate((left, right)) for row, ts in enumerate(each.ts))
    for rule in RULES:
        whole = naive_join(left, right, widths, 40, rule)
        for begin in (1, 133, 320):
            later = {(side, row) for _, side, row in order[begin:]}
            definition = Definition(left.ts, right.ts, terms, 40, rule, compared_from=begin)
            for threads in (1, 3):
                crew = JoinCrew(definition, tier, threads)
                crew.run()
                rows = zip(*(each.tolist() for each in crew.matches()), strict=True)
                assert list(rows) == [pair for pair in whole if (0, pair[0]) in later or (1, pair[1]) in later]
