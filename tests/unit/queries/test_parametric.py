"""The parametric operators compute what a naive model does, and emit as many tuples as the selectivity says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import gcd
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streambench.queries.parametric.operators import MatrixKeyed, MatrixStateless, time_rounds

from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.pyx.tuples.unit import FAR_PIECE, NEAR_PIECE
from streambench.queries.parametric import keys
from streambench.queries.parametric.calibration import rounds_for

MASK = (1 << 64) - 1
Tuple = tuple[int, int, list[int]]  # key, id, payload
Row = tuple[int, int, int]  # key, id, value

SERIAL = Options(engine="serial", unit=7)


def mixed(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


class Naive:
    """One operator, in Python: the whole matrix is written down, and a round replaces one value of the vector."""

    def __init__(self, size: int, rounds: int, selectivity: float, key_space: int, state_size: int = 0) -> None:
        self.size, self.rounds, self.selectivity, self.key_space = size, rounds, selectivity, key_space
        length = size + state_size
        self.first = [mixed(~k & MASK) | 1 for k in range(length)]
        self.matrix = [[self.first[(k - row) % length] for k in range(length)] for row in range(length)]
        self.states: dict[int, list[int]] = defaultdict(lambda: [0] * state_size)
        self.keyed = state_size > 0
        self.step = max(k for k in range(1, max(1, key_space * 618 // 1000) + 1) if gcd(k, key_space) == 1)

    def push(self, given: Tuple) -> list[Tuple]:
        key, id, payload = given
        state = self.states[key] if self.keyed else []
        vector = [*payload, *state]
        if self.keyed:
            vector[0] = (vector[0] + state[0]) & MASK
            vector[self.size] = (state[0] * self.first[0] + vector[0]) & MASK
        for turn in range(self.rounds):
            row = turn % len(vector)
            vector[row] = (turn + sum(a * b for a, b in zip(self.matrix[row], vector, strict=True))) & MASK
        self.states[key] = vector[self.size :]
        outputs = []
        first, end = int(id * self.selectivity), int((id + 1) * self.selectivity)
        for k in range(end - first):
            changed = [vector[0] ^ k, *vector[1 : self.size]]
            outputs.append(((key + k * self.step) % self.key_space if k else key, first + k, changed))
        return outputs


def fold(payload: Iterable[int]) -> int:
    value = 0
    for each in payload:
        value = ((value ^ each) * 0xD6E8FEB86659FD93) & MASK
    return value ^ (value >> 32)


def expected(stream: Iterable[tuple[int, int]], operators: list[Naive]) -> list[Row]:
    """What the sink gets. The last operator's outputs differ by their place among those of a tuple."""
    rows = []
    for key, id in stream:
        seed = mixed(id)
        tuples: list[Tuple] = [(key, id, [seed ^ weight for weight in operators[0].first[: operators[0].size]])]
        for operator in operators:
            groups = [operator.push(each) for each in tuples]
            tuples = [each for group in groups for each in group]
        for group in groups:
            for k, (to_key, to_id, payload) in enumerate(group):
                value = fold([payload[0] ^ k, *payload[1:]]) ^ k
                rows.append((to_key, to_id, value - (1 << 64) if value >> 63 else value))
    return rows


def through(stream: list[tuple[int, int]], *operators: object, options: Options = SERIAL) -> list[Row]:
    columns = [np.array(column, dtype=np.int64) for column in zip(*stream, strict=True)]
    pipeline = Pipeline([TableSource(columns, ("key", "id")), *operators, TableSink(keep=True)])
    execute(pipeline, options)
    return list(zip(*(column.tolist() for column in pipeline.sink.rows()), strict=True))


def counting(tuples: int, key_space: int) -> list[tuple[int, int]]:
    return [(i * 7919 % key_space, i) for i in range(tuples)]


@settings(max_examples=100)
@given(
    selectivity=st.one_of(st.sampled_from([0.0, 0.1, 0.5, 1.0, 50.0]), st.floats(0, 8)),
    tuples=st.integers(1, 200),
    keyed=st.booleans(),
)
def test_selectivity_gives_a_count_that_is_known_and_consecutive_ids(
    selectivity: float, tuples: int, keyed: bool
) -> None:
    common = {"tuple_size": 2, "rounds": 1, "selectivity": selectivity, "key_space": 5}
    operator = MatrixKeyed(state_size=1, **common) if keyed else MatrixStateless(**common)
    emitted = through(counting(tuples, 5), operator)
    assert [id for _, id, _ in emitted] == list(range(int(tuples * selectivity)))


@settings(max_examples=60)
@given(
    size=st.integers(1, 9),
    state_size=st.integers(1, 9),
    rounds=st.integers(0, 40),
    selectivity=st.sampled_from([0.3, 1.0, 2.5]),
    key_space=st.integers(1, 12),
)
def test_results_are_those_of_the_naive_model(
    size: int, state_size: int, rounds: int, selectivity: float, key_space: int
) -> None:
    stream = counting(30, key_space)
    sl = {"tuple_size": size, "rounds": rounds, "selectivity": selectivity, "key_space": key_space}
    ps = {**sl, "state_size": state_size, "selectivity": 1.0}
    plain = Naive(size, rounds, selectivity, key_space)
    keyed = Naive(size, rounds, 1.0, key_space, state_size)
    assert through(stream, MatrixStateless(**sl)) == expected(stream, [plain])
    both = through(stream, MatrixStateless(emits_payload=True, **sl), MatrixKeyed(**ps))
    assert both == expected(stream, [plain, keyed])


def test_every_round_counts() -> None:
    """The computation is done and not left out: each number of rounds has a result of its own, the model's."""
    stream = [(0, 5)]
    found = [through(stream, MatrixStateless(tuple_size=3, rounds=rounds)) for rounds in range(200)]
    assert len({rows[0][2] for rows in found}) == 200
    assert found[199] == expected(stream, [Naive(3, 199, 1.0, 1)])
    assert len({time_rounds(tuple_size=3, state_size=2, rounds=rounds)[1] for rounds in range(50)}) == 50


@settings(max_examples=60)
@given(order=st.permutations(range(6)), rounds=st.sampled_from([0, 1, 7, 64]))
def test_another_order_of_a_keys_tuples_changes_the_output_and_only_from_there_on(
    order: list[int], rounds: int
) -> None:
    def values(ids: list[int]) -> dict[int, int]:
        operator = MatrixKeyed(tuple_size=3, state_size=2, rounds=rounds, key_space=4)
        return {id: value for _, id, value in through([(3, id) for id in ids], operator)}

    straight, other = values(list(range(6))), values(order)
    same = next((place for place, id in enumerate(order) if place != id), 6)
    for place, id in enumerate(order):
        assert (straight[id] == other[id]) == (place < same)


def test_tuples_of_other_keys_change_nothing() -> None:
    def values(stream: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
        operator = MatrixKeyed(tuple_size=3, state_size=9, rounds=30, key_space=2)
        return {(key, id): value for key, id, value in through(stream, operator)}

    assert values([(0, 0), (1, 1), (0, 2), (1, 3)]) == values([(1, 1), (1, 3), (0, 0), (0, 2)])


@pytest.mark.parametrize("key_space", [1, 2, 10, 97, 10_000])
def test_outputs_of_a_tuple_are_spread_over_the_key_space(key_space: int) -> None:
    operator = MatrixStateless(tuple_size=2, rounds=1, selectivity=50, key_space=key_space)
    found = [key for key, _, _ in through([(key_space - 1, 0)], operator)]
    assert found[0] == key_space - 1
    assert len(set(found)) == min(50, key_space)
    assert all(0 <= key < key_space for key in found)


@pytest.mark.parametrize("key", [-1, 8, 1 << 62])
def test_keys_outside_the_key_space_are_refused(key: int) -> None:
    operator = MatrixKeyed(tuple_size=2, state_size=2, rounds=1, key_space=8)
    with pytest.raises(OperatorError, match="its key is outside the key space") as told:
        through([(7, 0), (0, 1), (key, 2), (1, 3)], operator)
    assert (told.value.operator, told.value.serial) == ("MatrixKeyed", 2)


def test_lists_reach_no_sink_and_the_last_operator_emits_fixed_width_tuples() -> None:
    with pytest.raises(OptionError, match="emits lists"):
        through([(0, 0)], MatrixStateless(tuple_size=2, rounds=1, emits_payload=True))
    assert MatrixStateless(tuple_size=2, rounds=1).columns == ("key", "id", "value")


@pytest.mark.parametrize(
    "wrong",
    [{"tuple_size": 0}, {"rounds": -1}, {"selectivity": -0.5}, {"selectivity": float("nan")}, {"key_space": 0}],
)
def test_parameters_that_make_no_operator_are_refused(wrong: dict[str, float]) -> None:
    right = {"tuple_size": 2, "rounds": 1, "selectivity": 1.0, "key_space": 1}
    with pytest.raises(ValueError, match="at least"):
        MatrixStateless(**{**right, **wrong})
    with pytest.raises(ValueError, match="at least"):
        MatrixKeyed(state_size=1, **{**right, **wrong})


def test_a_keyed_operator_without_state_is_refused() -> None:
    with pytest.raises(ValueError, match="state of at least 1"):
        MatrixKeyed(tuple_size=2, state_size=0, rounds=1)


def test_rounds_are_proportional_to_the_cost_and_none_cost_nothing() -> None:
    assert rounds_for(0, 4, 2) == 0
    assert rounds_for(1e-9, 4, 2) == 1
    one = rounds_for(100, 4, 2)
    assert one > 100  # a round is far below a microsecond
    assert rounds_for(1000, 4, 2) == pytest.approx(10 * one, abs=10)


@pytest.mark.parametrize("key_space", [1, 2, 100, 9_999])
def test_keys_lie_in_the_key_space_and_depend_on_the_seed(key_space: int) -> None:
    def draws(seed: int) -> list[keys.Keys]:
        return [
            keys.uniform(5000, key_space, seed),
            *(keys.normal(5000, key_space, seed, sigma) for sigma in (0.01, 1, 100)),
            *(keys.zipf(5000, key_space, seed, exponent) for exponent in (0, 1, 3, 100)),
        ]

    for drawn, again in zip(draws(1), draws(1), strict=True):
        assert drawn.dtype == np.int64
        assert len(drawn) == 5000
        assert drawn.min() >= 0
        assert drawn.max() < key_space
        assert np.array_equal(drawn, again)
    if key_space > 2:
        assert not np.array_equal(draws(1)[0], draws(2)[0])


def middle_share(drawn: keys.Keys, key_space: int) -> float:
    """Of the keys, those in the middle fifth of the ranges."""
    return float(np.mean((drawn >= 0.4 * key_space) & (drawn < 0.6 * key_space)))


def test_the_smaller_sigma_the_more_keys_lie_in_the_middle_partitions() -> None:
    shares = [middle_share(keys.normal(50_000, 1000, 1, sigma), 1000) for sigma in (0.05, 0.1, 0.25, 0.5, 1, 10)]
    assert shares == sorted(shares, reverse=True)
    # P(|x| < 0.2) over P(|x| < 1) of N(0, sigma), from a table of the normal distribution
    assert shares[2] == pytest.approx(0.5763 / 0.9999, abs=0.01)
    assert shares[4] == pytest.approx(0.1585 / 0.6827, abs=0.01)
    assert shares[5] == pytest.approx(0.2, abs=0.01)


def test_zipf_frequencies_descend_with_the_rank_as_the_exponent_says() -> None:
    counts = np.bincount(keys.zipf(200_000, 50, 1, 1.0), minlength=50)
    assert np.all(np.diff(counts[:8]) < 0)
    harmonic = sum(1 / k for k in range(1, 51))
    assert counts[0] / 200_000 == pytest.approx(1 / harmonic, rel=0.03)
    assert counts[9] / counts[0] == pytest.approx(1 / 10, rel=0.1)
    heavier = np.bincount(keys.zipf(200_000, 50, 1, 2.0), minlength=50)
    assert heavier[0] > counts[0]
    flat = np.bincount(keys.zipf(200_000, 50, 1, 0.0), minlength=50)
    assert flat.min() > 0.9 * 200_000 / 50


THOUSANDFOLD = {
    "serial": {"engine": "serial"},
    "schemes": {"heuristic": "ct", "partitions": 3},
    "not fused": {"heuristic": "walk", "fuse": False, "partitions": 2},
    **{plan: {"plan": plan} for plan in ("auto", "whole", "cut", "sharded")},
}


@pytest.mark.parametrize("where", THOUSANDFOLD)
@pytest.mark.parametrize("expanding", ["stateless", "keyed", "with lists"])
def test_of_a_unit_that_becomes_a_thousandfold_a_piece_is_there_at_a_time(
    probes: SimpleNamespace, where: str, expanding: str
) -> None:
    tuples, fold, key_space = 100, 1000, 12
    stream = counting(tuples, key_space)
    sl = {"tuple_size": 2, "rounds": 1, "key_space": key_space, "selectivity": 1.0 if expanding == "keyed" else fold}
    ps = {**sl, "state_size": 1, "selectivity": fold if expanding == "keyed" else 1.0}
    plain = [Naive(2, 1, sl["selectivity"], key_space)]
    if expanding != "stateless":
        plain.append(Naive(2, 1, ps["selectivity"], key_space, 1))
    wanted = expected(stream, plain)
    most = (NEAR_PIECE if where in ("serial", "whole") else FAR_PIECE) + key_space * fold
    for unit, workers in ((1, 1), (tuples, 2)):
        operators = [MatrixStateless(emits_payload=expanding != "stateless", **sl)]
        if expanding != "stateless":
            operators.append(MatrixKeyed(**ps))
        peak = probes.Passing("id", "int64")
        options = Options(unit=unit, workers=workers, pin=False, **THOUSANDFOLD[where])
        assert through(stream, *operators, peak, options=options) == wanted
        assert fold <= peak.most < most
