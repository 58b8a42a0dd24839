"""Micro-benchmarks: the ordered engine gives the serial sequence; a specification that cannot be met is refused."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from streambench.pyx.partition.partitioning import Partitioning

from streambench.errors import OptionError
from streambench.execution.engines import range_bounds
from streambench.execution.options import HEURISTICS, PARTITIONERS, PARTITIONINGS, REORDERS, Options
from streambench.execution.plans import NAMED
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec, run_micro
from streambench.queries.parametric import keys

BARE = OperatorSpec("sl", 0)
SPECS = {
    "sl": MicroSpec((OperatorSpec("sl", 0.5),), 2000),
    "ps": MicroSpec((OperatorSpec("ps", 0.5),), 2000, keys="normal", sigma=0.2, key_space=100),
    "sl-ps": MicroSpec((OperatorSpec("sl", 1, 50), OperatorSpec("ps", 0.1)), 200, key_space=333),
    "ps-ps": MicroSpec((OperatorSpec("ps", 0.2, 2.5, 3), OperatorSpec("ps", 0, 0.4, 1)), 1000, tuple_size=1),
    "ps-sl-ps": MicroSpec(
        (OperatorSpec("ps", 0), OperatorSpec("sl", 0.1, 0.3), OperatorSpec("ps", 0.1, state_size=40)),
        2000,
        tuple_size=5,
        keys="zipf",
        exponent=1.3,
        key_space=50,
    ),
    "sl-sl": MicroSpec((OperatorSpec("sl", 0.1, 3), OperatorSpec("sl", 0, 0)), 500),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
def test_theorem_5_2_every_option_gives_the_serial_sequence(name: str) -> None:
    workload = MicroWorkload(SPECS[name])
    assert workload.name == name
    schemes: dict[str, Any] = {"heuristic": "ct"}
    hows = (*({"plan": plan} for plan in NAMED), schemes, {**schemes, "fuse": False})
    for workers, unit, by, how in itertools.product((1, 2, 4), (1, 7, 64), PARTITIONERS, hows):
        options = Options(workers=workers, unit=unit, partition_by=by, partitions=13, pin=False, **how)
        _, pipeline = workload.run(options, keep=False)
        assert pipeline.sink.digest == workload.serial_digest(1), options


def loads(keys: Iterable[int], partitioning: Partitioning) -> list[int]:
    """Tuples by partition."""
    counted = Counter(map(partitioning.of, keys))
    return [counted[place] for place in range(partitioning.partitions)]


@pytest.mark.parametrize("sigma", [0.05, 0.25])
@pytest.mark.parametrize("partitions", [2, 3, 10, 100])
def test_ranges_between_quantiles_share_a_skewed_stream_out_evenly(sigma: float, partitions: int) -> None:
    keyed = OperatorSpec("ps", 0)
    spec = MicroSpec((keyed,), 200_000, keys="normal", sigma=sigma, key_space=100_000)
    workload = MicroWorkload(spec)
    bounds = range_bounds(workload.pipeline(Options(partition_by="quantile"), keep=False), partitions)
    even = loads(workload.keys, Partitioning(partitions, True, 0, spec.key_space, bounds[1]))
    assert max(even) < 1.25 * spec.tuples / partitions
    assert min(even) > 0.75 * spec.tuples / partitions
    if partitions > 2:
        assert max(loads(workload.keys, Partitioning(partitions, True, 0, spec.key_space))) > 1.4 * max(even)


def test_the_sample_of_an_operator_has_the_keys_that_those_before_it_emit() -> None:
    spec = MicroSpec((OperatorSpec("ps", 0), OperatorSpec("sl", 0, 2.5), OperatorSpec("ps", 0)), 1000, key_space=333)
    samples = MicroWorkload(spec).key_samples  # of so few tuples all
    before = MicroWorkload(replace(spec, operators=spec.operators[:2]))
    _, pipeline = before.run(Options(engine="serial"), keep=True)
    assert samples[1].tolist() == samples[2].tolist() == before.keys.tolist()
    assert samples[3].tolist() == pipeline.sink.rows()[0].tolist()


@pytest.mark.parametrize(("selectivity", "tuples"), [(0.2, 100_000), (0.5, 40_000), (0.01, 400_000), (40.0, 5_000)])
def test_ranges_are_as_even_behind_operators_that_drop_or_make_many(selectivity: float, tuples: int) -> None:
    """Whatever the period in which an operator drops tuples."""
    operators = (OperatorSpec("ps", 0, selectivity), OperatorSpec("ps", 0, 1_000.0))
    spec = MicroSpec(operators, tuples, keys="normal", sigma=0.1, key_space=100_000)
    workload = MicroWorkload(spec)
    bounds = range_bounds(workload.pipeline(Options(partition_by="quantile"), keep=False), 8)
    second, _ = keys.emitted(workload.keys, workload.ids, selectivity, spec.key_space)
    for place, reaching in ((1, workload.keys), (2, second)):
        shares = loads(reaching.tolist(), Partitioning(8, True, 0, spec.key_space, bounds[place]))
        assert max(shares) < 1.25 * len(reaching) / 8
        assert min(shares) > 0.75 * len(reaching) / 8


def test_a_pipeline_without_samples_is_refused() -> None:
    pipeline = MicroWorkload(SPECS["sl-ps"]).pipeline(Options(), keep=False)
    with pytest.raises(OptionError, match="operator MatrixKeyed has no sample of its keys, as parametric pipelines"):
        pipeline.run(partition_by="quantile", workers=2)


@pytest.mark.parametrize(("reorder", "partitioning"), list(itertools.product(REORDERS, PARTITIONINGS)))
def test_every_scheme_under_every_heuristic_gives_the_serial_sequence(reorder: str, partitioning: str) -> None:
    workload = MicroWorkload(SPECS["sl-ps"])
    for heuristic, unit in itertools.product((*HEURISTICS, "lp:8"), (1, 64)):
        schemes: dict[str, Any] = {"reorder": reorder, "partitioning": partitioning, "heuristic": heuristic}
        options = Options(workers=3, unit=unit, fuse=False, pin=False, **schemes)
        _, pipeline = workload.run(options, keep=False)
        assert pipeline.sink.digest == workload.serial_digest(1), options


CHANGING = MicroSpec(
    (OperatorSpec("sl", 0.1, 2.5), OperatorSpec("ps", 0.1, state_size=3)), 1000, 3, key_space=40, hot=0.5, dearer=10
)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("change_at", [0.0, 0.37, 1.0])
def test_a_stream_that_changes_gives_the_serial_sequence_and_another_one(workers: int, change_at: float) -> None:
    changing = MicroWorkload(replace(CHANGING, change_at=change_at))
    result = run_micro(changing, workers=workers, unit=7, plan="sharded", pin=False)
    assert result.sequence_ok
    plain = MicroWorkload(replace(CHANGING, hot=0.0, dearer=1.0))
    assert (result.digest == plain.serial_digest(1)) == (change_at == 1.0)


def test_from_the_change_on_a_key_is_hot_and_before_nothing_is_another() -> None:
    hot, plain = (MicroWorkload(replace(CHANGING, tuples=10_000, hot=part)).keys for part in (0.5, 0.0))
    assert (hot[:5_000] == plain[:5_000]).all()
    assert (hot[5_000:] == 20).mean() == pytest.approx(0.5 + 0.5 / 40, abs=0.02)


def test_the_first_dear_tuple_is_found_behind_an_operator_that_makes_several_of_one() -> None:
    workload = MicroWorkload(CHANGING)
    assert [each and each[0] for each in workload.later] == [500, 1250]
    assert [each and each[1] for each in workload.later] == [10 * rounds for rounds in workload.rounds]
    assert MicroWorkload(replace(CHANGING, dearer=1.0)).later == (None, None)


def test_a_stream_that_changes_is_not_replayed() -> None:
    with pytest.raises(OptionError, match="is not replayed: leave laps out, or the change"):
        run_micro(CHANGING, laps=2)


def test_laps_replay_the_keys_with_further_ids() -> None:
    workload = MicroWorkload(SPECS["sl-ps"])
    result = run_micro(workload, workers=2, unit=7, laps=3, plan="sharded", partition_by="range", partitions=10)
    assert (result.tuples, result.output_tuples) == (600, 30_000)
    assert result.sequence_ok is True
    assert result.digest == workload.serial_digest(3) != workload.serial_digest(1)
    _, pipeline = workload.run(Options(engine="serial", laps=3, preload=True), keep=True)
    keys, ids, _ = pipeline.sink.rows()
    assert ids.tolist() == list(range(30_000))
    assert keys[:10_000].tolist() == keys[10_000:20_000].tolist()


def test_a_wrong_sequence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = MicroWorkload(SPECS["sl"])
    monkeypatch.setattr(workload, "serial_digest", lambda laps: "0" * 16)
    result = run_micro(workload, workers=2)
    assert result.sequence_ok is False
    assert result.problem == f"sl's output sequence has digest {result.digest} instead of {'0' * 16}."
    assert run_micro(workload, workers=2, check=False).sequence_ok is None


def test_the_result_says_what_was_run() -> None:
    result = run_micro(SPECS["ps"], engine="serial")
    assert (result.query, result.parameter_set) == ("ps", "normal keys, sigma 0.2")
    assert (result.tuples, result.output_tuples, result.answer_ok) == (2000, 2000, None)
    assert result.options["preload"] is True


def test_a_specification_is_told_as_plain_values() -> None:
    assert MicroWorkload(SPECS["sl-ps"]).describe() == {
        "operators": [
            {"kind": "sl", "cost_us": 1, "selectivity": 50, "state_size": 16},
            {"kind": "ps", "cost_us": 0.1, "selectivity": 1.0, "state_size": 16},
        ],
        "tuples": 200,
        "tuple_size": 16,
        "keys": "uniform",
        "sigma": 1.0,
        "exponent": 1.0,
        "key_space": 333,
        "seed": 1,
    }


def test_streams_depend_on_the_seed_and_on_nothing_else() -> None:
    first, again, other = (MicroWorkload(replace(SPECS["ps"], seed=seed)) for seed in (1, 1, 2))
    assert first.serial_digest(1) == again.serial_digest(1) != other.serial_digest(1)


@pytest.mark.parametrize(
    ("operator", "sentence"),
    [
        (OperatorSpec("sf", 1), "operator 1 must be one of sl, ps, not 'sf'."),
        (OperatorSpec("sl", -1), "cost of operator 1, in microseconds, must be a number from 0 to 1,000,000, not -1."),
        (OperatorSpec("sl", float("nan")), "cost of operator 1, in microseconds, must be a number from 0"),
        (OperatorSpec("sl", 1, -0.1), "selectivity of operator 1 must be a number from 0 to 100,000, not -0.1."),
        (OperatorSpec("sl", 1, float("inf")), "selectivity of operator 1 must be a number from 0"),
        (OperatorSpec("ps", 1, 1, 0), "state_size of operator 1 must be a whole number from 1 to 1,048,576, not 0."),
    ],
)
def test_operators_that_cannot_be_are_refused(operator: OperatorSpec, sentence: str) -> None:
    with pytest.raises(OptionError) as told:
        MicroSpec((operator,), 10)
    assert str(told.value).startswith(sentence)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"operators": ()}, "a micro-benchmark has 1 to 22 operators, not 0."),
        ({"operators": (BARE,) * 23}, "a micro-benchmark has 1 to 22 operators, not 23."),
        ({"tuples": 0}, "tuples must be a whole number from 1 to"),
        ({"tuples": 1.5}, "tuples must be a whole number from 1 to"),
        ({"tuple_size": 0}, "tuple_size must be a whole number from 1 to 1,048,576, not 0."),
        ({"keys": "random"}, "keys must be one of uniform, normal, zipf, not 'random'."),
        ({"sigma": 0}, "sigma must be a number above 0 and at most 100, not 0."),
        ({"sigma": -1.0}, "sigma must be a number above 0 and at most 100, not -1.0."),
        ({"exponent": -0.5}, "exponent must be a number from 0 to 100, not -0.5."),
        ({"key_space": 0}, "key_space must be a whole number from 1 to 2,147,483,648, not 0."),
        ({"seed": -1}, "seed must be a whole number from 0 to"),
    ],
)
def test_specifications_that_cannot_be_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as told:
        MicroSpec(**{"operators": (BARE,), "tuples": 10, **wrong})
    assert str(told.value).startswith(sentence)


def test_what_does_not_fit_into_memory_is_refused_before_it_is_allocated() -> None:
    keyed = OperatorSpec("ps", 1, state_size=1 << 20)
    for spec in (MicroSpec((BARE,), 1 << 40), MicroSpec((keyed,), 10, key_space=1 << 31)):
        with pytest.raises(OptionError, match=r"needs about .* GiB of memory, and .* GiB are free"):
            MicroWorkload(spec)
    growing = MicroWorkload(MicroSpec((OperatorSpec("sl", 0, 1e5), BARE), 10, tuple_size=1 << 10))
    with pytest.raises(OptionError, match="choose a smaller unit, less credit"):
        run_micro(growing, unit=64, workers=2)
    with pytest.raises(OptionError, match=r"a unit of 4096 tuples grows to 4\.1e\+08 in sl-sl"):
        run_micro(growing, unit=4096)
    endless = MicroWorkload(MicroSpec((OperatorSpec("sl", 0, 1e5),) * 3, 1000))
    with pytest.raises(OptionError, match="has too many tuples"):
        run_micro(endless, unit=1)
