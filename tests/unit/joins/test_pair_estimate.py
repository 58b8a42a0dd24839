"""What is estimated of a join is near what it gives, and a join whose pairs find no room is refused before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streambench
from streambench.errors import OptionError
from streambench.joins import matches, pair_estimate
from streambench.joins.join import matching_rows, sides_of
from streambench.joins.matches import definition_of
from streambench.joins.pair_estimate import estimated_pairs, windows_of

EDGES = [-(2**63), -(2**63) + 3, 2**63 - 1]
times = st.lists(st.integers(0, 30) | st.sampled_from(EDGES), min_size=1, max_size=25).map(sorted)
RULES = ("exact", "three-step", "count")


@given(left=times, right=times, window=st.sampled_from([0, 1, 3, 9, 2**63 - 1]), rule=st.sampled_from(RULES))
def test_the_windows_sampled_from_are_those_of_the_join(
    left: list[int], right: list[int], window: int, rule: str
) -> None:
    ts = np.array(left), np.array(right)
    found = set()
    for side in (0, 1):
        first, last = windows_of(ts, side, np.arange(len(ts[side])), window, rule)
        for row, (begin, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            found |= {(row, other) if side == 0 else (other, row) for other in range(begin, end)}
    rows = matching_rows({"ts": ts[0]}, {"ts": ts[1]}, window=window, rule=rule)
    assert found == set(zip(rows[0].tolist(), rows[1].tolist(), strict=True))


def drawn(seed: int, n: int) -> dict[str, Any]:
    """Bursts in time, and keys of which few are frequent."""
    random = np.random.default_rng(seed)
    return {
        "ts": np.sort(random.exponential(1000, n).astype(np.int64)),
        "key": np.minimum(random.zipf(1.5, n), 10**6),
        "x": random.uniform(0, 1, n),
        "near": random.integers(0, 50, n) + 2**62,
    }


QUESTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a key": {"equal": [("key", "key")]},
    "a band": {"bands": [("x", "x", 0.05)]},
    "a band of integers": {"bands": [("near", "near", 3)]},
    "all": {"equal": [("key", "key")], "bands": [("x", "x", 0.3)]},
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_estimate_is_near_what_the_join_gives(question: str, rule: str) -> None:
    left, right, how = drawn(1, 4000), drawn(2, 3000), QUESTIONS[question]
    definition, _, terms = definition_of(
        sides_of(left, right, "ts"), 300, how.get("bands", ()), how.get("equal", ()), rule, "auto", None
    )
    estimate = estimated_pairs((left["ts"], right["ts"]), terms, 300, rule, definition.pairs)
    pairs = len(matching_rows(left, right, window=300, rule=rule, **how)[0])
    assert estimate == pytest.approx(pairs, rel=0.1 if terms else 0)


def estimate_of(left: dict[str, Any], right: dict[str, Any], window: int, bands: list[Any], equal: list[Any]) -> int:
    definition, _, terms = definition_of(sides_of(left, right, "ts"), window, bands, equal, "exact", "auto", None)
    return estimated_pairs((left["ts"], right["ts"]), terms, window, "exact", definition.pairs)


def test_the_estimate_does_not_step_with_keys_in_turn() -> None:
    n = 16 * 2047 + 1
    left = {"ts": np.arange(n), "key": np.arange(n) % 16}
    right = {"ts": np.arange(n), "key": np.where(np.arange(n) % 3, 0, 99)}
    pairs = int((left["key"] == 0).sum()) * int((right["key"] == 0).sum())
    assert estimate_of(left, right, n, [], [("key", "key")]) == pytest.approx(pairs, rel=0.05)


def test_a_burst_between_sparse_rows_is_estimated() -> None:
    burst = 1_000_500  # between rows that equal steps would look at
    ts = np.concatenate([np.arange(0, burst, 50), np.full(9, burst), np.arange(burst + 100, burst + 700_000, 50)])
    left = {"ts": ts, "key": np.ones(len(ts), np.int64)}
    right = {**left, "ts": np.where(ts == burst, ts, ts + 5)}
    assert estimate_of(left, right, 1, [], [("key", "key")]) == 81


@pytest.mark.parametrize(
    ("bands", "equal"),
    [
        ([], [("key", "key")]),
        ([("key", "key", 0)], []),
        ([("real", "real", 0.5)], []),
        ([("one", "one", 0)], [("key", "key")]),
    ],
)
def test_rare_matches_are_estimated_by_their_term(bands: list[Any], equal: list[Any]) -> None:
    n = 200_000
    key = np.random.default_rng(3).permutation(n)
    left = {"ts": np.arange(n), "key": key, "real": key * 1.0, "one": np.ones(n, np.int64)}
    right = {**left, "ts": np.arange(n) + n // 2}  # each row matches one, half a stream away
    assert estimate_of(left, right, n, bands, equal) == n
    assert estimate_of(left, right, n // 2 - 1, bands, equal) == 0


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for 2,000 pairs; more than 1,000 are many."""
    monkeypatch.setattr(pair_estimate, "free_memory", lambda: 2000 * 48)
    monkeypatch.setattr(matches, "MANY_PAIRS", 1000)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("join", [streambench.join, matching_rows])
def test_a_join_whose_pairs_find_no_room_is_refused_in_one_sentence(join: Any, probes: SimpleNamespace) -> None:
    side = {"ts": np.arange(100), "a": np.zeros(100, np.int64), "x": np.arange(100), "width": np.zeros(100, np.float32)}
    with pytest.raises(OptionError) as refused:
        join(side, side, window=99)
    assert str(refused.value) == (
        "the join would give about 10,000 pairs, which need 0.0 GiB of memory, and 0.0 GiB are free: add a band or an "
        "equality, or choose a shorter window."
    )
    with pytest.raises(OptionError, match="about 10,000 pairs"):
        join(side, side, window=99, equal=[("a", "a")])
    for little in (
        {"window": 9},
        {"window": 99, "equal": [("x", "x")]},
        {"window": 99, "predicate": probes.NearAndOdd()},
    ):
        join(side, side, **little)


def test_a_small_join_is_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "estimated_pairs", None)
    monkeypatch.setattr(matches, "pairs_in_memory", None)
    side = {"ts": np.arange(1000)}
    assert len(streambench.join(side, side, window=999)) == 1_000_000


def test_a_join_as_a_source_holds_a_batch_and_is_never_refused(little_memory: None) -> None:
    side = {"ts": np.arange(100)}
    streambench.ArrowJoinSource(side, side, window=99)
