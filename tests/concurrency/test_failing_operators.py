"""An operator that refuses a tuple stops the pipeline exactly there, in every engine."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace

import plain_operators as plain
import pytest
from pipelines import KEYED, STATEFUL, STATELESS, Outcome, Shape, Step, build, expected, outcome, random_shape
from thread_count import alive, none_left_behind

from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline

TUPLES = 1500
ENGINES = [
    Options(engine="serial", unit=64),
    Options(workers=1, unit=64, partitions=1, credit=4, pin=False),
    Options(workers=2, unit=1, partitions=10, credit=64, pin=False, heuristic="ct"),
    Options(workers=4, unit=7, partitions=100, credit=16, pin=False, fuse=False),
    Options(workers=8, unit=1024, partitions=10, credit=2, pin=False, heuristic="ct"),
    Options(workers=2, unit=1, partitions=10, credit=64, pin=False, plan="cut"),
    Options(workers=4, unit=7, partitions=100, credit=16, pin=False, plan="sharded"),
    Options(workers=8, unit=1024, partitions=10, credit=2, pin=False, plan="sharded"),
]


def called(options: Options) -> str:
    """The name of a test with these options."""
    return f"{options.named_engine}-{options.workers}-{options.unit}-{options.plan}"


def same_failure(got: Outcome, pipeline: Pipeline, rows: list[plain.Row], failure: plain.Failure | None) -> None:
    assert failure is not None, "the tuple that should be refused never came: the test tests nothing"
    assert got.error is not None
    assert got.rows == rows
    assert got.violations == 0
    assert got.error.operator == pipeline.operators[failure.place].name
    assert got.error.serial == failure.serial
    assert tuple(value for _, value in got.error.values) == failure.values
    assert [name for name, _ in got.error.values] == list(pipeline.operators[failure.place - 1].columns)
    assert got.error.reason == "a value it does not like"


def refused_value(shape: Shape, place: int, nth: int) -> int:
    """The value of the nth tuple that reaches step ``place``."""
    rows, _ = expected(shape[:place], TUPLES)
    values = [row[-1] for row in rows]
    return values[min(nth, len(values) - 1)]


@pytest.mark.slow
@pytest.mark.parametrize("options", ENGINES, ids=called)
@pytest.mark.parametrize("kind", [*STATELESS, *KEYED, *STATEFUL])
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_everything_before_a_refused_tuple_has_left_and_nothing_after(
    probes: SimpleNamespace, kind: str, options: Options, place: str
) -> None:
    around = (Step("Map"), Step("KeyedCount"), Step("Expand", 2), Step("Total"))
    at = {"first": 0, "middle": 2, "last": 4}[place]
    shape = (*around[:at], Step(kind, 3), *around[at:])
    # The first tuple or a later one: each kind at each place refuses both, in half of the engines each.
    nth = (0, 700)[(at // 2 + ENGINES.index(options)) % 2]
    value = refused_value(shape, at, nth)
    failing = (*shape[:at], replace(shape[at], fail_value=value), *shape[at + 1 :])
    rows, failure = expected(failing, TUPLES)
    before = alive()
    pipeline = build(probes, failing, TUPLES, jitter=1)
    same_failure(outcome(pipeline, options), pipeline, rows, failure)
    assert none_left_behind(before)


@pytest.mark.parametrize("options", ENGINES, ids=called)
def test_a_sink_that_refuses_names_itself(probes: SimpleNamespace, options: Options) -> None:
    shape = (Step("KeyedSum"), Step("Total"))
    value = refused_value((*shape, Step("Map")), 2, 900)
    rows, failure = expected(shape, TUPLES, sink_fails=value)
    pipeline = build(probes, shape, TUPLES, sink_fails=value)
    same_failure(outcome(pipeline, options), pipeline, rows, failure)


@pytest.mark.parametrize("how", [{"engine": "serial"}, {"heuristic": "ct"}, {"plan": "cut"}], ids=str)
def test_an_operator_that_gives_no_reason_is_named_all_the_same(probes: SimpleNamespace, how: dict[str, str]) -> None:
    pipeline = Pipeline([probes.Counting(100), probes.Mute(), probes.Recorder()])
    got = outcome(pipeline, Options(workers=2, unit=7, pin=False, **how))
    assert got.error is not None
    assert (got.error.operator, got.error.serial, got.rows) == ("Mute", 0, [])
    assert "no reason" in got.error.reason


@pytest.mark.parametrize("options", ENGINES, ids=called)
@pytest.mark.parametrize("last", [1, 5])
def test_an_operator_that_fails_at_the_end_is_the_last_flushed(
    probes: SimpleNamespace, options: Options, last: int
) -> None:
    operators = [probes.Total(), probes.Unfinished(last), probes.Total()]
    got = outcome(Pipeline([probes.Counting(100), *operators, probes.Recorder()]), options)
    assert got.error is not None
    assert (got.error.operator, got.error.serial, got.error.values) == ("Unfinished", 101, ())
    assert got.rows == [(-1, sum(range(k + 1))) for k in range(last)]
    assert "at the end of the stream, behind all of its 101 tuples: it did not end well;" in str(got.error)


@pytest.mark.parametrize("how", [{"plan": "sharded"}, {"heuristic": "ct"}], ids=str)
def test_of_two_groups_in_place_that_refuse_at_once_each_says_why(probes: SimpleNamespace, how: dict[str, str]) -> None:
    """Both work on the unit's own columns, but not on one place for the reason."""
    refusing = probes.AtOnce(early=5, late=40, key_range=(0, 97))  # keys 19 and 55
    pipeline = Pipeline([probes.Counting(64), refusing, probes.Recorder()])
    got = outcome(pipeline, Options(workers=2, unit=64, partitions=2, partition_by="range", pin=False, **how))
    assert not refusing.alone
    assert got.error is not None
    assert (got.error.serial, got.error.reason) == (5, "the earlier one")
    assert len(got.rows) == 5


def failing_shape(draw: random.Random, tuples: int = TUPLES) -> Shape:
    """A random pipeline with one to three operators that refuse a tuple which reaches them when none else does."""
    while True:
        shape = random_shape(draw, 5)
        failing = list(shape)
        for k in draw.sample(range(len(shape)), min(len(shape), draw.randint(1, 3))):
            reaching, _ = expected(shape[:k], tuples)
            if reaching:
                failing[k] = replace(failing[k], fail_value=draw.choice(reaching)[-1])
        if tuple(failing) != shape:
            return tuple(failing)


@pytest.mark.parametrize("seed", range(60))
def test_of_several_refusals_the_first_in_order_counts(probes: SimpleNamespace, seed: int) -> None:
    draw = random.Random(1000 + seed)
    failing = failing_shape(draw)
    rows, failure = expected(failing, TUPLES)
    options = Options(
        workers=draw.choice((1, 2, 4, 16)),
        unit=draw.choice((1, 7, 64, 1024)),
        partitions=draw.choice((1, 10, 100)),
        credit=draw.choice((2, 8, 64)),
        heuristic="ct",
        fuse=draw.random() < 0.5,
        pin=False,
    )
    for each in (options, Options(engine="serial", unit=options.unit)):
        pipeline = build(probes, failing, TUPLES, jitter=draw.choice((0, 1, 2)))
        same_failure(outcome(pipeline, each), pipeline, rows, failure)
