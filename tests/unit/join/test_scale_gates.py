"""Both ScaleGates against a plain one, call by call, whatever is added, promised and read in whatever order."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from naive_gate import NaiveGate
from sanitized import examples

from streambench.errors import DataError, OptionError
from streambench.pyx.join.manual_scale_gate import KINDS, ManualScaleGate

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

kinds = st.sampled_from(sorted(KINDS))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 99), st.integers(0, 3)),
        st.tuples(st.just("add_rows"), st.integers(0, 99), st.lists(st.integers(0, 3), max_size=9)),
        st.tuples(st.just("heartbeat"), st.integers(0, 99), st.integers(-1, 4)),
        st.tuples(st.just("close"), st.integers(0, 99), st.just(0)),
        st.tuples(st.just("next_ready"), st.integers(0, 99), st.integers(0, 12)),
    ),
    max_size=120,
)


def gate(kind: str, sources: int, readers: int = 1, capacity: int = 64) -> Any:
    return ManualScaleGate(kind, [("int64",)] * sources, readers, capacity)


def drained(of: Any, reader: int = 0, at_most: int = 7) -> list[tuple[int, int, int]]:
    """All that the gate has for a reader, whose sources are closed."""
    found: list[tuple[int, int, int]] = []
    while (some := of.next_ready(reader, at_most)) is not None:
        assert some, "all sources are closed, so something is ready or it is the end"
        found += [each[:3] for each in some]
    return found


@examples(400)
@given(
    kind=kinds, sources=st.integers(1, 11), readers=st.integers(1, 3), capacity=st.sampled_from([2, 4, 8]), steps=steps
)
def test_a_gate_does_what_a_plain_one_does(
    kind: str, sources: int, readers: int, capacity: int, steps: list[tuple[str, int, Any]]
) -> None:
    made, plain = gate(kind, sources, readers, capacity), NaiveGate(sources, readers, capacity, kind == "skip-list")
    times = [0] * sources  # a source's times grow by what a step says: most are not refused
    number = [0] * sources
    for step, who, what in steps:
        s = who % sources
        if step == "add":
            times[s] += what - (what == 0 and who > 90)  # a few fall
            outcome = plain.add(s, times[s])
            assert made.add(s, times[s], (number[s],)) == outcome
            number[s] += outcome == "added"
        elif step == "add_rows":
            batch = [times[s] + each for each in itertools.accumulate(what)]
            n = made.add_rows(s, batch, [range(number[s], number[s] + len(batch))])
            assert n == plain.add_rows(s, batch)
            number[s] += n
            times[s] = max([times[s], *batch[:n]])
        elif step == "heartbeat":
            assert made.heartbeat(s, times[s] + what) == plain.heartbeat(s, times[s] + what)
            times[s] = max(times[s], times[s] + what)
        elif step == "close":
            assert made.close(s) == plain.close(s)
        else:
            reader = who % readers
            wanted = plain.next_ready(reader, what)
            got = made.next_ready(reader, what)
            assert (got and [each[:3] for each in got]) == wanted
            assert all(values == (sequence,) for _, _, sequence, values in got or [])


@examples(200)
@given(
    kind=kinds,
    streams=st.lists(st.lists(st.integers(0, 5), max_size=20), min_size=1, max_size=10),
    arrival=st.randoms(use_true_random=False),
)
def test_the_order_is_that_of_a_sort_whatever_the_order_of_arrival(
    kind: str, streams: list[list[int]], arrival: Any
) -> None:
    made = gate(kind, len(streams))
    left = {s: list(itertools.accumulate(stream)) for s, stream in enumerate(streams)}
    wanted = sorted((ts, s, k) for s, times in left.items() for k, ts in enumerate(times))
    got: list[tuple[int, int, int]] = []
    while left:
        s = arrival.choice(sorted(left))
        if left[s]:
            assert made.add(s, left[s].pop(0), (0,)) == "added"
        else:
            made.close(s)
            del left[s]
        got += [each[:3] for each in made.next_ready(0, arrival.randrange(3)) or []]
    assert got + drained(made) == wanted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sources", [2, 8, 9, 21])
def test_equal_timestamps_are_ordered_by_source_and_sequence(kind: str, sources: int) -> None:
    made = gate(kind, sources)
    for _ in range(3):
        for s in reversed(range(sources)):
            made.add(s, 5, (0,))
    for s in range(sources):
        made.close(s)
    assert drained(made) == [(5, s, k) for s in range(sources) for k in range(3)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sources", [3, 12])
def test_a_source_that_has_not_written_holds_up_readers_until_it_says_something(kind: str, sources: int) -> None:
    made = gate(kind, sources)
    for s in range(1, sources):
        made.add(s, 10, (0,))
        made.add(s, 20, (0,))
    assert made.next_ready(0, 100) == []
    assert made.waits_for(0) == 0
    made.heartbeat(0, 10)  # it may still add one of time 10, which would come first
    assert made.next_ready(0, 100) == []
    made.heartbeat(0, 11)
    assert [each[:2] for each in made.next_ready(0, 100)] == [(10, s) for s in range(1, sources)]
    made.close(0)
    made.close(1)
    assert [each[:2] for each in made.next_ready(0, 1)] == [(20, 1)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sources", [1, 2, 9])
def test_empty_sources_end(kind: str, sources: int) -> None:
    made = gate(kind, sources)
    for s in range(sources):
        assert made.next_ready(0) == []
        assert made.close(s) == "added"
    assert made.next_ready(0) is None
    assert made.next_ready(0) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_silent_source_that_is_closed_lets_the_others_go_on(kind: str) -> None:
    made = gate(kind, 2)
    made.add(1, 1, (0,))
    made.add(1, 7, (0,))
    assert made.next_ready(0, 9) == []
    made.close(0)
    assert [each[:2] for each in made.next_ready(0, 1)] == [(1, 1)]
    made.close(1)
    assert drained(made) == [(7, 1, 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_late_is_refused_and_changes_nothing(kind: str) -> None:
    made = gate(kind, 1)
    assert made.add(0, 5, (1,)) == "added"
    assert made.add(0, 4, (2,)) == "late"
    assert made.add(0, 5, (3,)) == "added"
    assert made.heartbeat(0, 9) == "added"
    assert made.heartbeat(0, 8) == "late"
    assert made.add(0, 8, (4,)) == "late"
    assert made.add_rows(0, [9, 10, 9, 11], [[5, 6, 7, 8]]) == 2
    assert made.close(0) == "added"
    assert (made.add(0, 99, (9,)), made.heartbeat(0, 99), made.close(0)) == ("closed",) * 3
    assert [(ts, values[0]) for ts, _, _, values in made.next_ready(0, 99)] == [(5, 1), (5, 3), (9, 5), (10, 6)]


@pytest.mark.parametrize("kind", KINDS)
@example(ts=[INT64_MIN, INT64_MIN, INT64_MAX - 1])
@given(ts=st.lists(st.integers(INT64_MIN, INT64_MAX - 1), max_size=9).map(sorted))
def test_every_timestamp_below_the_end_of_time_is_one(kind: str, ts: list[int]) -> None:
    made = gate(kind, 2)
    for s in (1, 0):
        assert [made.add(s, each, (0,)) for each in ts] == ["added"] * len(ts)
        made.close(s)
    assert drained(made) == sorted((each, s, k) for s in (0, 1) for k, each in enumerate(ts))


@pytest.mark.parametrize("kind", KINDS)
def test_sources_have_columns_of_their_own_types(kind: str) -> None:
    made = ManualScaleGate(kind, [("int8", "V3", "float32"), ("bool", "float64"), ()])
    made.add(0, 1, (-7, b"abc", 0.5))
    made.add(1, 2, (True, 1e300))
    made.add(2, 3)
    columns = [np.array([1, 2], "int8"), np.array([b"x", b"yz"], "V3"), np.array([1.5, 2.5], "float32")]
    assert made.add_rows(0, [4, 5], columns) == 2
    for s in range(3):
        made.close(s)
    values = [each[3] for each in made.next_ready(0, 9)]
    assert values == [(-7, b"abc", 0.5), (True, 1e300), (), (1, b"x\0\0", 1.5), (2, b"yz\0", 2.5)]


@pytest.mark.parametrize("kind", KINDS)
def test_batches_go_round_the_end_of_a_ring(kind: str) -> None:
    made = gate(kind, 1, capacity=8)
    got = []
    for k in range(0, 50, 5):
        assert made.add_rows(0, range(k, k + 5), [range(k, k + 5)]) == 5
        got += [each[3][0] for each in made.next_ready(0, 5)]
        made.next_ready(0, 0)
    made.close(0)
    assert got + [each[3][0] for each in made.next_ready(0, 5) or []] == list(range(50))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("sources", "readers"), [(1, 1), (3, 2)])
def test_memory_is_bounded_by_what_the_slowest_reader_has_not_read(kind: str, sources: int, readers: int) -> None:
    made = gate(kind, sources, readers, capacity=64)
    most = []
    for k in range(20_000):
        for s in range(sources):
            assert made.add(s, k, (0,)) == "added"
        for reader in range(readers):
            made.next_ready(reader, sources)
        if k == 2000:
            most.append(made.allocated)
    assert made.allocated <= max(most) + 64 * sources  # 18,000 rounds on
    assert made.allocated <= 256 * sources


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("sieve", [()]), "there is no gate 'sieve': choose from ring, skip-list"),
        (("ring", []), "a gate needs at least one source and one reader, not 0 and 1"),
        (("ring", [()], 0), "a gate needs at least one source and one reader, not 1 and 0"),
        (("ring", [()], 1, 1), "a gate's capacity must be from 2 to 1073741824, not 1"),
    ],
)
def test_an_impossible_gate_is_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        ManualScaleGate(*arguments)


def test_who_is_not_there_and_what_is_no_time_are_refused() -> None:
    made = gate("ring", 2)
    calls = [(made.add, 2, 1), (made.close, -1), (made.heartbeat, 9, 1), (made.next_ready, 1), (made.waits_for, 1)]
    for call, *arguments in calls:
        with pytest.raises(OptionError, match="the gate has"):
            call(*arguments)
    for call, *arguments in [(made.add, INT64_MAX), (made.heartbeat, INT64_MAX), (made.add_rows, [INT64_MAX], [[1]])]:
        with pytest.raises(ValueError, match="the end of time: a timestamp must be lower"):
            call(0, *arguments)
    with pytest.raises(ValueError, match="a tuple of source 0 has 1 values, not 2"):
        made.add(0, 1, (2, 3))


@pytest.mark.parametrize("number", [1.7, True, np.bool_(True), np.float32(1), "1", None, 2**63, -(2**63) - 1], ids=repr)
def test_what_is_no_whole_number_is_not_cut_to_one(number: Any) -> None:
    made = ManualScaleGate("ring", [("int64",), ("int64",)])
    for call in (
        lambda: made.add(0, number, (1,)),
        lambda: made.add(number, 1, (1,)),
        lambda: made.heartbeat(0, number),
        lambda: made.next_ready(0, number),
        lambda: made.close(number),
        lambda: ManualScaleGate("ring", [()], number),
        lambda: ManualScaleGate("ring", [()], 1, number),
    ):
        with pytest.raises(OptionError, match="must be a whole number from"):
            call()
    assert made.add(0, np.int8(1), (np.uint8(1),)) == "added"


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("int64", 1.7),
        ("int8", 300),
        ("uint8", -1),
        ("bool", 2),
        ("int32", True),
        ("float32", "1"),
        ("V2", b"abc"),
        ("int64", None),
    ],
)
def test_a_gates_tuple_holds_its_values_or_is_refused(type: str, value: Any) -> None:
    with pytest.raises(DataError, match="value 0"):
        ManualScaleGate("ring", [(type,)]).add(0, 1, (value,))
