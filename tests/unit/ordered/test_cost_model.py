"""The cost model against the same arithmetic done segment by segment, and its search against all plans."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streambench.pyx.ordered.cost_model import choose, predict

STATELESS, PARTITIONED, STATEFUL = range(3)
Described = tuple[int, float, float, float, int]  # kind, ns, rows, bytes, partitions
ENOUGH = 1e15  # tuples to a unit: what a unit costs no longer counts

costs = st.floats(0.0, 500.0)
described = st.tuples(
    st.sampled_from((STATELESS, PARTITIONED, STATEFUL)), costs, st.floats(0.0, 50.0), costs, st.sampled_from((1, 2, 8))
)


@st.composite
def pipelines(draw: st.DrawFn, most: int = 7) -> list[Described]:
    between = draw(st.lists(described, max_size=most))
    source, sink = (STATEFUL, draw(costs), 1.0, 8.0, 1), (STATEFUL, draw(costs), 1.0, 8.0, 1)
    return [source, *between, sink]


@st.composite
def planned(draw: st.DrawFn) -> tuple[list[Described], list[int], list[int]]:
    """A pipeline, and any plan for it."""
    pipeline = draw(pipelines())
    able = [place for place, each in enumerate(pipeline) if place and each[0] != STATELESS]
    heads = draw(st.lists(st.sampled_from(able), unique=True, min_size=1))
    keyed = [place for place in heads if pipeline[place][0] == PARTITIONED]
    return pipeline, heads, draw(st.lists(st.sampled_from(keyed), unique=True)) if keyed else []


def whole(pipeline: list[Described]) -> float:
    return sum(each[1] for each in pipeline)


def bottleneck(pipeline: list[Described], heads: list[int], sharded: list[int]) -> float:
    """The ns per stream tuple of the slowest turn, where handing units on costs nothing."""
    turns: list[float] = []
    ordered = False
    tail = 0.0  # stateless operators with nothing else behind them so far: outside the turn
    for place, (kind, cost, _, _, partitions) in enumerate(pipeline):
        if place in heads or (place and kind != STATELESS and not ordered):
            ordered = place not in sharded
            turns.append(cost if ordered else cost / partitions)
            tail = 0.0
        elif kind == STATELESS:
            tail += cost
        elif ordered:
            turns[-1] += tail + cost
            tail = 0.0
    return max(turns)


@given(planned(), st.integers(1, 64))
def test_free_of_overheads_a_plan_takes_as_long_as_its_slowest_turn_or_its_share_of_the_work(
    plan: tuple[list[Described], list[int], list[int]], workers: int
) -> None:
    pipeline, heads, sharded = plan
    free = [(kind, cost, 0.0, 0.0, partitions) for kind, cost, _, _, partitions in pipeline]
    wanted = max(whole(free) / workers, bottleneck(free, heads, sharded))
    assert predict(free, workers, ENOUGH, heads, sharded) == pytest.approx(wanted, abs=1e-6)


@given(planned(), st.integers(1, 64), st.floats(1.0, 4096.0), st.floats(1.0, 100.0))
def test_overheads_only_add_and_the_larger_the_unit_the_less(
    plan: tuple[list[Described], list[int], list[int]], workers: int, unit: float, larger: float
) -> None:
    pipeline, heads, sharded = plan
    got = predict(pipeline, workers, unit, heads, sharded)
    assert got >= max(whole(pipeline) / workers, bottleneck(pipeline, heads, sharded)) - 1e-6
    assert got >= predict(pipeline, workers, unit * larger, heads, sharded) - 1e-6


@given(planned(), st.integers(1, 64), st.floats(1.0, 4096.0), st.data())
def test_no_plan_gains_from_an_operator_that_costs_more(
    plan: tuple[list[Described], list[int], list[int]], workers: int, unit: float, data: st.DataObject
) -> None:
    pipeline, heads, sharded = plan
    place = data.draw(st.integers(0, len(pipeline) - 1))
    kind, cost, *rest = pipeline[place]
    dearer = [*pipeline[:place], (kind, cost + data.draw(costs), *rest), *pipeline[place + 1 :]]
    before = predict(pipeline, workers, unit, heads, sharded)
    assert predict(dearer, workers, unit, heads, sharded) >= before - 1e-6


@settings(max_examples=60)
@given(pipelines(most=5), st.integers(2, 16), st.floats(64.0, 4096.0), st.booleans())
def test_the_chosen_plan_is_one_that_nothing_near_it_beats(
    pipeline: list[Described], workers: int, unit: float, sharding: bool
) -> None:
    """No other choice for one operator, no single cut, not all of them; and never less than the best there is."""
    time, heads, sharded, of_one = choose(pipeline, workers, unit, sharding)
    assert of_one == pytest.approx(whole(pipeline))
    assert time == pytest.approx(predict(pipeline, workers, unit, heads, sharded))
    able = [place for place, each in enumerate(pipeline) if place and each[0] != STATELESS]
    assert heads
    assert set(heads) <= set(able)
    assert set(sharded) <= {place for place in heads if pipeline[place][0] == PARTITIONED and pipeline[place][4] > 1}
    assert sharding or not sharded
    ways = {
        place: ((0, 0), (1, 0), (1, 1)) if sharding and pipeline[place][0] == PARTITIONED else ((0, 0), (1, 0))
        for place in able
    }
    best = min(
        predict(
            pipeline,
            workers,
            unit,
            [place for place, (head, _) in zip(able, way, strict=True) if head],
            [place for place, (_, shared) in zip(able, way, strict=True) if shared],
        )
        for way in product(*(ways[place] for place in able))
        if any(head for head, _ in way)
    )
    assert time >= best - 1e-6
    near = [(able[:1], []), (able, [])]
    for place in able:
        for head, shared in ways[place]:
            others = [each for each in heads if each != place]
            kept = [each for each in sharded if each != place]
            near.append(([*others, *([place] if head or not others else [])], [*kept, *([place] if shared else [])]))
    for near_heads, near_sharded in near:
        assert time <= predict(pipeline, workers, unit, near_heads, near_sharded) * 1.0011 + 1e-6


def test_two_workers_share_two_dear_operators_and_promise_less_of_cheap_ones() -> None:
    keyed = (PARTITIONED, 100.0, 1.0, 16.0, 8)
    dear = [(STATEFUL, 1.0, 1.0, 8.0, 1), keyed, keyed, (STATEFUL, 1.0, 1.0, 8.0, 1)]
    time, heads, _, of_one = choose(dear, 2, 4096)
    assert len(heads) > 1
    promised = time / of_one
    assert promised < 0.52
    cheap = [(kind, cost / 100, rows, bytes_, partitions) for kind, cost, rows, bytes_, partitions in dear]
    time, _, _, of_one = choose(cheap, 2, 4096, costs={"line": 100.0, "byte": 0.2})
    assert time / of_one > promised + 0.05


def test_operators_that_are_dealt_share_the_work_of_the_last_one_too_and_leave_nothing_by_partition_behind() -> None:
    """Two keyed operators in front of a stateful one, of many workers: dealt, none of them is a bottleneck."""
    made = [(STATELESS, 2.0, 1.0, 0.0, 1), (STATELESS, 1.0, 1.0, 0.0, 1), (PARTITIONED, 20.0, 0.05, 0.0, 32),
            (PARTITIONED, 30.0, 2.0, 0.0, 32), (STATEFUL, 6.0, 2.0, 0.0, 1), (STATEFUL, 0.0, 0.01, 0.0, 1)]  # fmt: skip
    assert predict(made, 16, 4096, [2, 5], [2, 3, 4], dealt=[(2, 5)]) < 6.0 < predict(made, 16, 4096, [2, 3, 4], [2, 3])
    time, heads, sharded, _ = choose(made, 16, 4096, dealt=[(2, 5)])
    assert (heads, sharded) == ([2, 5], [2, 3, 4])
    assert time < 6.0
    for workers in (2, 3, 8, 64):
        _, heads, sharded, _ = choose(made, workers, 4096, dealt=[(2, 5)])
        assert 4 not in sharded or heads == [2, 5]
