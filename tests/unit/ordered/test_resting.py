"""Somebody else is on one of many cores: its worker rests within 20 ms, the others go on, and then it is back."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from controller_simulator import COSTS, Simulated, keyed_pair
from streambench.pyx.ordered.recorded_controller import DECIDED, TOLD
from streambench.sim.ordered.ordered_engine import OrderedEngine

from streambench.execution import engines
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import settle
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

WHOLE = 212.0  # ns per stream tuple
MS = 1_000_000  # ns
COMES, GOES, LAST = 1.0, 2.5, 4.0  # seconds
TIMES = {"near_line": 35.0, "far_line": 90.0, "stream_line": 2.0, "pause": 20.0, "to_yield": 400.0, "wake_up": 16_000.0}
CROWDED = [(8, 1), (8, 2), (16, 1), (16, 2)]


def sharded_time(at_work: int) -> float:
    """ns per stream tuple, where nobody is in the way."""
    return 1.1 * WHOLE / at_work


def crowded(workers: int) -> Simulated:
    """A run in which all stall behind a worker that waits for its core, half of the time."""
    run: Simulated

    def time(heads: list[int], sharded: list[int]) -> float:
        each = sharded_time(workers - run.controller.resting) if sharded else 110.0 if heads else WHOLE
        return each * (2.0 if run.wait and heads else 1.0)

    run = Simulated(keyed_pair(), COSTS, time, workers=workers)
    return run


def go_on(run: Simulated, neighbours: int, until: float) -> None:
    """Until then (seconds); for a while somebody is on so many cores."""
    while run.now < until * 1e6:
        there = COMES <= run.now * 1e-6 < GOES
        run.wait = 0.5 if there and run.controller.resting < neighbours else 0.0
        run.run(0.0005)


@pytest.mark.parametrize(("workers", "neighbours"), CROWDED)
def test_as_many_workers_rest_as_somebody_else_has_cores(workers: int, neighbours: int) -> None:
    """The first within 20 ms, twice as many 16 ms later; the plan stays, but for the trials that the account pays."""
    run = crowded(workers)
    go_on(run, neighbours, COMES)
    plan = run.plan
    assert (run.controller.resting, run.controller.bound) == (0, True)
    assert plan[1], "by partition"
    go_on(run, neighbours, COMES + 0.02)
    assert (run.plan, run.controller.resting > 0) == (plan, True)
    go_on(run, neighbours, COMES + 0.036)
    assert (run.plan, run.controller.resting) == (plan, neighbours)


@pytest.mark.parametrize(("workers", "neighbours"), CROWDED)
def test_it_yields_what_the_other_cores_do_and_all_of_them_when_it_is_over(workers: int, neighbours: int) -> None:
    """By half seconds, against the best plan with a fixed number of workers."""
    run = crowded(workers)
    go_on(run, neighbours, 0.5)
    yields = []
    for k in range(1, round(2 * LAST)):
        before, begun = run.admitted, run.now
        go_on(run, neighbours, 0.5 * (k + 1))
        there = COMES <= 0.5 * k < GOES
        best = sharded_time(workers - neighbours if there else workers)
        yields.append((run.admitted - before) * best / (run.now - begun) / 1e3)
    is_back = round(2 * GOES) - 1  # it has to be seen that it is over
    assert min(yields[:is_back]) >= 0.95
    assert min(yields[is_back:]) >= 0.95 * (workers - neighbours) / workers
    assert yields[-1] >= 0.95
    assert (run.controller.resting, run.controller.bound) == (0, True)


def test_with_somebody_on_all_cores_the_plan_is_whole_at_first() -> None:
    """Then trials say whether eight workers are faster that all share their cores."""
    run = crowded(8)
    go_on(run, 8, COMES)
    while run.plan[0] and run.now < (COMES + 0.06) * 1e6:
        go_on(run, 8, run.now * 1e-6 + 0.0005)
    assert (run.plan, run.controller.bound) == (([], []), False)


def test_where_a_worker_that_shares_its_core_is_better_than_none_trials_find_that() -> None:
    """The neighbour takes little, though often: all eight are faster than seven."""
    run: Simulated

    def time(heads: list[int], sharded: list[int]) -> float:
        return sharded_time(8 - run.controller.resting) if sharded else 110.0 if heads else WHOLE

    run = Simulated(keyed_pair(), COSTS, time, workers=8)
    run.run(0.5)
    for _ in range(6000):
        run.wait = 0.0 if run.controller.resting else 0.12
        run.run(0.0005)
    assert (run.controller.resting, run.controller.bound) == (0, False)


@pytest.mark.parametrize(("workers", "rest"), [(3, [1, 2]), (4, [1, 2, 3]), (8, [1, 2, 4, 7]), (16, [1, 2, 4, 8, 15])])
def test_twice_as_many_rest_until_fewer_than_two_would_be_left(
    workers: int, rest: list[int], probes: SimpleNamespace
) -> None:
    """The last one that works is told nothing any more, however long it waits."""
    crowd, told = probes.Crowd(workers), []
    for _ in range(40):
        if crowd.look(workers - crowd.resting, waited=4e6):
            told.append(crowd.resting)
    assert told == rest
    assert crowd.resting == workers - 1


def test_the_longest_wait_is_forgotten_while_one_worker_works(probes: SimpleNamespace) -> None:
    crowd = probes.Crowd(8)
    crowd.look(8, waited=4e6)
    longest = crowd.trial_ns
    for _ in range(250):  # more than two spans of time
        crowd.look(1, waited=0)
    assert crowd.trial_ns < longest / 2


def simulated(
    probes: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    begin: int,
    end: int,
    *,
    turn: int = 3 * MS,
    laps: int = 1,
    told: bool = True,
) -> tuple[npt.NDArray[np.float64], Any, bool]:
    """Workers on eight simulated cores: when looks were (ns), what they were told and decided; is the output right?

    On the first core is somebody else, too, from ``begin`` to ``end``, who has it for each second ``turn``. ``told``:
    the system tells what a worker has waited.
    """

    class Engine(OrderedEngine):  # type: ignore[misc]
        def __init__(self, operators: list[Any], partitions: list[int], *, workers: int, **how: Any) -> None:
            super().__init__(operators, partitions, workers=workers, **how)
            if told:
                self.run_queues = probes.SimulatedQueues(workers)

    monkeypatch.setattr(engines, "on_this_machine", lambda engine: Engine)
    workload = MicroWorkload(MicroSpec((OperatorSpec("ps", 0, state_size=1),), tuples=1 << 24, tuple_size=1))
    settled = settle(Options(engine="ordered", workers=8, pin=False, preload=True, laps=laps), 8)
    pipeline = workload.pipeline(settled, keep=False)
    with probes.Beside(TIMES | {"account": 800.0}, [5.0, 100.0, 5.0], 1, begin, end, turn):
        decisions = execute(pipeline, settled, recorded=True).decisions
    assert decisions is not None
    at = (decisions.rows[:, 0] - decisions.begun) * decisions.ns_per_tick
    return at, decisions.rows, pipeline.sink.digest == workload.serial_digest(laps)


def test_workers_on_simulated_cores_let_the_one_rest_whose_core_is_taken(
    probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine's own workers, and a neighbour that takes turns of 3 ms: they go on at seven eighths of their pace."""
    comes, goes = 100 * MS, 200 * MS
    at, rows, right = simulated(probes, monkeypatch, comes, goes, laps=3)
    assert right
    column: Callable[[str], Any] = lambda name: rows[:, DECIDED.index(name) - len(DECIDED)]  # noqa: E731

    def pace(begin: float, end: float) -> float:
        """Tuples per ns."""
        return float(np.diff(np.interp([begin, end], at, rows[:, 1]))[0] / (end - begin))

    rests = at[(column("resting") == 1) & (at >= comes)]
    assert rests[0] - comes <= 20 * MS
    alone = pace(comes - 50 * MS, comes)
    assert pace(goes - 50 * MS, goes) >= 0.95 * 7 / 8 * alone
    assert (column("resting")[-1], column("bound")[-1]) == (0, 1)
    # Trials go on, some with a third of 10 ms lost; when they come depends on the addresses that malloc gives out.
    pieces = at[-1] - np.arange(11) * 10 * MS
    assert np.median([pace(begin, end) for end, begin in itertools.pairwise(pieces)]) >= 0.95 * alone


def test_a_look_is_told_what_a_worker_has_waited(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the nanosecond: by what a look is overdue it would not be, nor told at all of waits as short as these."""
    at, rows, _ = simulated(probes, monkeypatch, 100 * MS, 130 * MS)
    waited = rows[:, TOLD.index("waited")]
    assert (waited[at < 100 * MS] == 0).all()
    assert 3 * MS in waited[(at > 100 * MS) & (at < 110 * MS)]


def test_where_the_system_tells_no_waits_workers_are_let_go_as_a_look_is_overdue(
    probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One does not come back with its turn for 40 ms; it is seen as it is back, less what units under way may take."""
    at, rows, _ = simulated(probes, monkeypatch, 100 * MS, 180 * MS, turn=40 * MS, told=False)
    waited, bound = rows[:, TOLD.index("waited")], rows[:, DECIDED.index("bound") - len(DECIDED)]
    back = np.argmax(at > 139 * MS)
    assert (waited[at < 100 * MS] == 0).all()
    assert at[back] < 145 * MS
    assert 20 * MS < waited[back] < 40 * MS
    assert (bound[back - 1], bound[back]) == (1, 0)


def test_who_has_waited_longest_rests_and_who_has_rested_longest_is_back_first(probes: SimpleNamespace) -> None:
    seats, queues = probes.Bench(5, ()), probes.Queues(5)
    queues.tell(3, 4 * MS)
    queues.tell(1, 5 * MS)
    queues.tell(0, MS)
    seats.let(1, queues)
    assert seats.at_work == [0, 2, 3, 4]
    queues.tell(3, 3 * MS)
    seats.let(2, queues)
    assert seats.at_work == [0, 2, 4]
    seats.let(1, queues)  # a trial of one more
    assert seats.at_work == [0, 1, 2, 4]
    queues.tell(1, 2 * MS)
    seats.let(2, queues)  # its core is still another's
    assert seats.at_work == [0, 2, 4]
    seats.let(1, queues)
    assert seats.at_work == [0, 2, 3, 4], "and then the other one is tried"


def test_who_rests_without_having_waited_is_back_first(probes: SimpleNamespace) -> None:
    """One fewer has been tried, in vain."""
    seats, queues = probes.Bench(4, ()), probes.Queues(4)
    queues.tell(2, MS)
    seats.let(1, queues)
    seats.let(2, queues)
    assert len(seats.at_work) == 2
    seats.let(1, queues)
    assert seats.at_work == [0, 1, 3]


def test_a_trial_of_one_more_that_says_nothing_ends_with_the_same_at_rest(probes: SimpleNamespace) -> None:
    seats, queues = probes.Bench(4, ()), probes.Queues(4)
    queues.tell(2, MS)
    for number in (1, 0, 1):
        seats.let(number, queues)
    assert seats.at_work == [0, 1, 3]


def test_whoever_rests_the_output_is_the_same(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """With each plan others rest, of four; plans and units change all the time."""
    controllers: list[Any] = []

    class Engine(engines.OrderedEngine):  # type: ignore[misc]
        def __init__(self, operators: list[Any], partitions: list[int], *, workers: int, **how: Any) -> None:
            super().__init__(operators, partitions, workers=workers, **how)
            self.controller = probes.Restless(operators, partitions, workers=workers, **self.how)
            self.controller.vary(seed=1, one_in=2, largest=64)
            controllers.append(self.controller)

    monkeypatch.setattr(engines, "OrderedEngine", Engine)

    def ran(engine: str, workers: int) -> str:
        source = TableSource([np.arange(100_000) % 97, np.arange(100_000)], ["key", "value"])
        sink = TableSink(keep=False)
        pipeline = Pipeline([source, probes.Map(), probes.KeyedSum(), sink])
        execute(pipeline, Options(engine=engine, workers=workers, plan="auto" if engine == "serial" else "cut"))
        return sink.digest

    assert ran("ordered", 4) == ran("serial", 1)
    assert controllers[-1].rests > 0
