"""A sweep's schedule is the product that was asked for: each configuration once, the serial engine always, A B B A."""

from __future__ import annotations

from typing import Any

import pytest

from streambench.errors import OptionError
from streambench.execution import settled
from streambench.execution.options import MOST_CREDIT, Options
from streambench.execution.settled import settle
from streambench.host import limits
from streambench.lab.measure import query_bench
from streambench.lab.measure.sweep import presets
from streambench.lab.measure.sweep import schedule as schedules
from streambench.lab.measure.sweep.product import Product, merged, tuple_cost
from streambench.lab.measure.sweep.schedule import Schedule, SweepPoint, expected_seconds, fitted, tuples_for
from streambench.lab.measure.sweep.time_left import TimeLeft
from streambench.lab.record.statistics import FEWEST_REPEATS
from streambench.lab.workloads.micro import MicroSpec, OperatorSpec

QUERIES = ("q1", "q2", "q3", "q4", "q15")
CORES = (1, 2, 3, 8, 64)


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> int:
    """A machine of that many cores."""
    count: int = request.param
    for module in (limits, settled, query_bench, schedules, presets):
        monkeypatch.setattr(module, "default_workers", lambda: count)
    return count


def schedule_of(*products: Product, **settings: Any) -> Schedule:
    return Schedule(merged(comparison for product in products for comparison in product.comparisons()), **settings)


def of_schemes(found: Schedule, number: int = 0) -> list[Options]:
    return [options for options in found.comparisons[number].configurations if options.engine == "schemes"]


def test_the_schedule_is_the_product_of_all_axes() -> None:
    (comparison,) = Product(
        queries=("q1",), heuristics=("ct", "lp"), reorders=("lock", "ticket"), workers=(1, 2, 4), units=(1, 64)
    ).comparisons()
    found = {(each.heuristic, each.reorder, each.workers, each.unit) for each in comparison.configurations[1:]}
    assert len(comparison.configurations) == 1 + 2 * 2 * 3 * 2
    assert found == {(s, r, w, u) for s in ("ct", "lp") for r in ("lock", "ticket") for w in (1, 2, 4) for u in (1, 64)}


def test_equal_configurations_are_measured_once() -> None:
    everything = limits.default_workers()
    product = Product(queries=("q1", "q1"), workers=(None, everything, 3, 3), capacities=(None, 10, 20))
    found = schedule_of(product, product)
    assert len(found.comparisons) == 1
    # A capacity means something to qst only, and None is all cores.
    assert sorted(settle(each).workers for each in of_schemes(found)) == sorted({everything, 3})
    with_qst = schedule_of(Product(queries=("q1",), workers=(1,), heuristics=("qst", "ct"), capacities=(10, 20)))
    assert [(each.heuristic, each.capacity) for each in of_schemes(with_qst)] == [
        ("qst", 10),
        ("qst", 20),
        ("ct", None),
    ]


@pytest.mark.parametrize("engine", ["ordered", "schemes"])
def test_what_may_be_in_flight_is_an_axis_of_both_parallel_engines(engine: str) -> None:
    (found,) = Product(queries=("q1",), engines=(engine,), workers=(2,), credits=(None, 64, 1 << 14)).comparisons()
    usual, *given = [settle(each).credit for each in found.configurations[1:]]
    assert given == [64, 1 << 14]
    assert usual == settle(Options(engine=engine, workers=2)).credit  # type: ignore[arg-type]


def test_parameters_of_another_distribution_multiply_nothing() -> None:
    comparisons = list(
        Product(micro=("ps",), keys=("uniform", "normal", "zipf"), sigmas=(0.1, 1), exponents=(1, 2)).comparisons()
    )
    specs = [comparison.workload for comparison in comparisons]
    assert all(isinstance(spec, MicroSpec) for spec in specs)
    assert [(spec.keys, spec.sigma, spec.exponent) for spec in specs if isinstance(spec, MicroSpec)] == [
        ("uniform", 1.0, 1.0),
        ("normal", 0.1, 1.0),
        ("normal", 1.0, 1.0),
        ("zipf", 1.0, 1.0),
        ("zipf", 1.0, 2.0),
    ]


def test_every_comparison_begins_with_the_serial_engine_as_its_baseline() -> None:
    found = schedule_of(Product(queries=("q1",), micro=("sl-ps",), units=(16,)))
    for comparison, unit in zip(found.comparisons, (1024, 1), strict=True):
        assert [each.engine for each in comparison.configurations] == ["serial", "schemes"]
        assert [each.unit for each in comparison.configurations] == [unit, 16]
    asked = schedule_of(Product(queries=("q1",), engines=("schemes", "serial"), units=(1, 64)))
    assert [(each.engine, each.unit) for each in asked.comparisons[0].configurations] == [
        ("serial", 1),
        ("serial", 64),
        ("schemes", 1),
        ("schemes", 64),
    ]


def test_repeats_run_a_b_b_a_over_all_configurations_of_a_comparison() -> None:
    found = schedule_of(Product(queries=("q1", "q2"), workers=(1, 2)), repeats=3)
    points = list(found.points())
    assert len(points) == len(set(points)) == 2 * 3 * 3
    assert [point.configuration for point in points[:9]] == [0, 1, 2, 2, 1, 0, 0, 1, 2]
    assert [point.comparison for point in points] == [0] * 9 + [1] * 9


def test_a_tuples_cost_counts_what_reaches_each_operator() -> None:
    spec = MicroSpec((OperatorSpec("sl", 100, 50), OperatorSpec("ps", 100)), 1)
    assert tuple_cost(spec) == pytest.approx(100e-6 + 50 * 100e-6)


@pytest.mark.parametrize("cores", [4], indirect=True)
def test_parametric_streams_are_as_long_as_the_typical_run_lasts(cores: int) -> None:
    (comparison,) = schedule_of(Product(micro=("sl",), costs=(100,), workers=(1, 2, 4, 64))).comparisons
    # 1, 2, 4 and again 4 workers can run at once: 3 in the middle.
    assert tuples_for(comparison, 1.0, cores) == 30_000
    (heavy,) = schedule_of(Product(micro=("sl",), costs=(1e6,), workers=(1,))).comparisons
    assert tuples_for(heavy, 0.1, cores) == 100
    (coarse,) = schedule_of(Product(micro=("sl",), costs=(1e6,), workers=(1,), units=(64,))).comparisons
    assert tuples_for(coarse, 0.1, cores) == 20 * 64


def test_operators_of_a_chain_have_their_own_costs_and_selectivities() -> None:
    chain = Product(micro=("sl:5:20-ps-ps:25:0.5",), costs=(10.0,), selectivities=(3.0,), state_sizes=(8,))
    (comparison,) = chain.comparisons()
    assert isinstance(comparison.workload, MicroSpec)
    ours = [(each.kind, each.cost_us, each.selectivity, each.state_size) for each in comparison.workload.operators]
    assert ours == [("sl", 5.0, 20.0, 8), ("ps", 10.0, 1.0, 8), ("ps", 25.0, 0.5, 8)]
    assert comparison.name == "sl 5 µs to 20, ps 10 µs to 1, ps 25 µs to 0.5, state size 8, uniform"
    again = "-".join(each.text for each in comparison.workload.operators)
    assert next(Product(micro=(again,), state_sizes=(8,)).comparisons()).workload == comparison.workload
    tiny = Product(micro=("sl",), costs=(1e-7,), selectivities=(5e-5,)).comparisons()
    (operator,) = next(tiny).workload.operators
    assert OperatorSpec.parse(operator.text, OperatorSpec("sl", 1.0)) == operator
    for wrong in ("sl:x", "sl:1:2:3", "ps:", "sl:1-", "q1", "sl:1.2.3"):
        with pytest.raises(OptionError, match="sl or ps joined by hyphens"):
            Product(micro=(wrong,))


@pytest.mark.slow
@pytest.mark.parametrize("cores", CORES, indirect=True)
def test_the_quick_preset_fits_its_budget_on_any_machine(cores: int) -> None:
    preset = presets.preset("quick")
    schedule = Schedule(preset.comparisons((), {}), preset.repeats, preset.seconds, preset.budget)
    assert schedule.budget is not None
    assert expected_seconds(schedule, 0.1) <= schedule.budget
    seconds = fitted(schedule, schedule.comparisons, schedule.budget, 0.1)
    assert schedules.SHORTEST < seconds <= schedule.seconds
    assert schedule.repeats >= FEWEST_REPEATS


@pytest.mark.parametrize("cores", CORES, indirect=True)
@pytest.mark.parametrize("name", presets.PRESETS)
def test_presets_hold_what_the_figures_need_tuple_by_tuple(cores: int, name: str) -> None:
    comparisons = presets.preset(name).comparisons((), {})
    assert [comparison.workload for comparison in comparisons if isinstance(comparison.workload, str)] == list(QUERIES)
    counts = query_bench.worker_counts() if name == "paper" else presets.few_workers()
    assert counts[-1] == cores
    for comparison in comparisons:
        found = [each for each in comparison.configurations if each.engine == "schemes"]
        assert all(each.unit == 1 and not each.fuse for each in found)
        keys = {(each.workers, each.heuristic, each.reorder, each.partitioning, each.routing) for each in found}
        assert len(keys) == len(found)
        if not isinstance(comparison.workload, str):
            continue
        several = [count for count in counts if count > 1] or [1]
        schemes = {("nonblocking", "partitioned"), ("nonblocking", "shared"), ("lock", "hybrid"), ("ticket", "hybrid")}
        wanted = {(w, s, "nonblocking", "hybrid", "early") for w in counts for s in ("qst", "lp", "et", "ct", "walk")}
        wanted |= {(w, "ct", r, p, "early") for r, p in schemes for w in (counts if p == "hybrid" else several)}
        assert keys == wanted
        assert {each.credit for each in found} == {MOST_CREDIT}
        serial = [each.unit for each in comparison.configurations if each.engine == "serial"]
        assert serial == [1, 1024], "like with like, and what a user would run instead"
    skewed = [g for g in comparisons if isinstance(g.workload, MicroSpec) and g.workload.keys == "normal"]
    assert len(skewed) >= 2
    for comparison in skewed:
        found = [each for each in comparison.configurations if each.engine == "schemes"]
        assert {each.partition_by for each in found} == {"range"}
        # Two ranges hold half of the keys each, whatever sigma: with three the middle one has more.
        several = {each.workers: max(3, settle(each).workers) for each in found}
        assert all(
            each.partitions == (100 if each.partitioning == "hybrid" else several[each.workers]) for each in found
        )
    names = {g.workload.name for g in comparisons if isinstance(g.workload, MicroSpec)}
    assert names == {"ps", "sl", "sl-ps"}
    costs = {
        g.workload.operators[0].cost_us
        for g in comparisons
        if isinstance(g.workload, MicroSpec) and g.workload.name == "ps" and g.workload.keys == "uniform"
    }
    assert costs == {10, 100, 1_000, 10_000}


def test_figures_of_a_preset_are_picked_and_share_their_configurations() -> None:
    preset = presets.preset("quick")
    apart = {
        (comparison.workload, each)
        for comparison in preset.comparisons(("8",), {})
        for each in comparison.configurations
    }
    both = preset.comparisons(("8", "14"), {})
    assert [comparison.workload for comparison in both] == list(QUERIES)
    assert apart < {(comparison.workload, each) for comparison in both for each in comparison.configurations}
    assert all(len(set(comparison.configurations)) == len(comparison.configurations) for comparison in both)
    with pytest.raises(OptionError, match="only takes figures, 8,9,10,11,12,13,14, not '7'"):
        preset.comparisons(("7",), {})


def test_a_preset_is_narrowed_by_names_and_changed_by_numbers() -> None:
    preset = presets.preset("quick")
    comparisons = preset.comparisons(
        (), {"queries": ("q4", "q1"), "heuristics": ("lp", "ct"), "workers": (3,), "units": (8,)}
    )
    assert [comparison.workload for comparison in comparisons] == ["q1", "q4"]
    for comparison in comparisons:
        found = [each for each in comparison.configurations if each.engine == "schemes"]
        assert {(each.workers, each.unit) for each in found} == {(3, 8)}
        # Figure 8 keeps two of its heuristics; figures 11 and 14 have ct only, and get no other.
        assert {each.reorder for each in found if each.heuristic == "lp"} == {"nonblocking"}
        assert {each.reorder for each in found if each.heuristic == "ct"} == {"nonblocking", "lock", "ticket"}
        assert {each.heuristic for each in found} == {"lp", "ct"}
    with pytest.raises(OptionError, match="nothing is left of the preset"):
        preset.comparisons(("9",), {"queries": ("q1",)})


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"queries": ("q9",)}, "there is no query 'q9': choose from q1, q2, q3, q4, q15, ysb, qjoin."),
        ({"micro": ("sl+ps",)}, "micro takes sl or ps joined by hyphens, such as sl-ps, each .*, not 'sl\\+ps'."),
        ({"queries": ("q1",), "workers": ()}, "workers is empty"),
        ({"queries": ("q1",), "units": (1 << 20,)}, "unit must be a whole number from 1 to 65536"),
        ({"micro": ("sl",), "sigmas": (-1.0,), "keys": ("normal",)}, "sigma must be a number above 0"),
        ({}, "there is nothing to measure"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(axes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        schedule_of(Product(**axes))


@pytest.mark.parametrize("settings", [{"repeats": 0}, {"seconds": 0.0}, {"seconds": float("nan")}, {"budget": 0.0}])
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(settings))} must be"):
        schedule_of(Product(queries=("q1",)), **settings)


def test_time_left_goes_by_what_was_measured() -> None:
    schedule = schedule_of(Product(queries=("q1", "q2"), workers=(1,)), repeats=2, seconds=1.0)
    points = list(schedule.points())
    left = TimeLeft(schedule, points, overhead=0.0)
    preparing = 2 * (schedules.PREPARING + 2 * 1.0)
    assert left.seconds() == pytest.approx(preparing + 8 * 1.0)
    left.prepare(0, 1.0)
    left.begin(0, [0.0, 0.0])
    left.took(SweepPoint(0, 0, 0), 3.0)
    left.took(SweepPoint(0, 0, 1), 5.0)
    # The repeats of both as they were; of the other query everything four times what it was estimated at.
    assert left.seconds() == pytest.approx(5.0 + 3.0 + 4 * (preparing / 2 + 4 * 1.0))
    assert left.scale == pytest.approx(4.0)
    left.prepare(1, 0.5)
    assert left.seconds() == pytest.approx(5.0 + 3.0 + 4 * (schedules.PREPARING + 2 * 0.5 + 4 * 0.5))
    assert TimeLeft(schedule, [], overhead=0.0).seconds() == 0.0
    # A comparison that an earlier call began has to be prepared again, for the runs that are missing.
    assert TimeLeft(schedule, points[2:4], overhead=0.0).seconds() == pytest.approx(preparing / 2 + 2 * 1.0)


def test_time_left_knows_for_how_long_a_stream_comes_in() -> None:
    """Where that is longer than a run was to last."""
    schedule = schedule_of(Product(queries=("q1",), workers=(1,)), repeats=2, seconds=1.0)
    left = TimeLeft(schedule, list(schedule.points()), overhead=0.25)
    left.prepare(0, 1.0)
    left.begin(0, [0.0, 30.0])
    assert left.seconds() == pytest.approx(2 * (1.25 + 30.25))
