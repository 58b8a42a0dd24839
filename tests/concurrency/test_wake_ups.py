"""Whoever is needed is woken: here no sleep ends soon by itself, so a wake-up that is lost cannot hide."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.idle import bound_sleeps
from streambench.pyx.ordered.ordered_engine import OrderedEngine
from streambench.pyx.schemes.schemes_engine import SchemesEngine

from streambench.execution import engines
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

pytestmark = pytest.mark.slow  # waits for sleepers

SLEEP = 40_000_000_000
"""ns: a worker that nobody wakes sleeps so long."""
PATIENCE = 20.0
"""s: a run that takes longer has somebody asleep. No run here has work for a second."""

ORDERED: dict[str, Any] = {"engine": "ordered", "unit": 1, "credit": 64, "plan": "cut"}
SCHEMES: dict[str, Any] = {"engine": "schemes", "unit": 1, "credit": 64, "heuristic": "ct"}
ENGINES = [
    pytest.param(ORDERED, id="plan cut"),
    pytest.param({**ORDERED, "plan": "whole"}, id="plan whole"),
    pytest.param(SCHEMES, id="schemes"),
]

Run = Callable[..., None]


@pytest.fixture
def scene(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Knows where the workers of the next execution sleep."""
    found = probes.Scene()
    for base, where in ((OrderedEngine, "execution.engines"), (SchemesEngine, "lab.schemes")):

        class Engine(base):  # type: ignore[misc, valid-type]
            def __init__(self, *operators: Any, **how: Any) -> None:
                super().__init__(*operators, **how)
                found.enter(self)

        monkeypatch.setattr(f"streambench.{where}.{base.__name__}", Engine)
    return found


@pytest.fixture
def long_sleeps() -> Iterator[None]:
    bound_sleeps(watch=SLEEP, sleep=SLEEP)
    yield
    bound_sleeps()


@pytest.fixture
def long_sleeps_but_the_watch() -> Iterator[None]:
    bound_sleeps(sleep=SLEEP)
    yield
    bound_sleeps()


def ends(operators: list[Any], options: Options, watch: Callable[[int], None] | None = None) -> bool:
    """Execute, in a thread; whether that came to its end while nobody could yet have slept enough."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            execute(Pipeline(operators), options, watch)
        except EnoughError:
            pass
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(PATIENCE)
    in_time = not thread.is_alive()
    thread.join()
    if failures:
        raise failures[0]
    return in_time


class EnoughError(Exception):
    """What a watch raises."""


@pytest.mark.usefixtures("long_sleeps")
def test_a_published_unit_wakes_a_sleeper(probes: SimpleNamespace, scene: Any) -> None:
    """The worker that has the first operator's turn stays in it until another has done the second one's unit."""
    first = probes.Cue(scene, sleep=(0, 1), meet=(1, 1))
    sink = probes.Recorder(keep=False)
    operators = [probes.Counting(3), first, probes.Cue(scene, marks=True), sink]
    assert ends(operators, Options(**ORDERED, workers=2, pin=False))
    assert scene.starved == 0
    assert sink.tuples == 3


@pytest.mark.usefixtures("long_sleeps")
def test_a_turn_that_is_passed_on_wakes_a_sleeper(probes: SimpleNamespace, scene: Any) -> None:
    """Its last holder has sixteen units to finish, the first of which needs the first of those that wait for the turn.

    While it had the turn all were published, and the other worker found nothing and went to sleep.
    """
    operators = [
        probes.Counting(40),
        probes.Cue(scene, sleep=(0, 1), marks=True),
        probes.FreeCue(scene, meet=(0, 17)),
        probes.Recorder(keep=False),
    ]
    assert ends(operators, Options(**ORDERED, workers=2, pin=False))
    assert scene.starved == 0
    assert operators[-1].tuples == 40


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("workers", [2, 5])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_end_wakes_all(probes: SimpleNamespace, scene: Any, engine: dict[str, Any], workers: int) -> None:
    """All but one sleep as the last tuple reaches the last operator."""
    last = probes.Cue(scene, sleep=(9, workers - 1))
    operators = [probes.Counting(10), last, probes.Recorder(keep=False)]
    assert ends(operators, Options(**engine, workers=workers, pin=False))
    assert scene.starved == 0
    assert operators[-1].tuples == 10


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("workers", [1, 5])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_stop_wakes_all(probes: SimpleNamespace, scene: Any, engine: dict[str, Any], workers: int) -> None:
    deadline = time.monotonic() + PATIENCE

    def watch(tuples: int) -> None:
        assert time.monotonic() < deadline, "they never all slept"
        if scene.sleepers == workers:
            raise EnoughError

    assert ends([probes.Quiet(), TableSink()], Options(**engine, workers=workers, pin=False), watch)


@pytest.mark.usefixtures("long_sleeps_but_the_watch")
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("engine", [*ENGINES, pytest.param({"engine": "serial", "unit": 1}, id="serial")])
def test_somebody_keeps_watch_over_a_silent_source(
    probes: SimpleNamespace, engine: dict[str, Any], workers: int
) -> None:
    """After each burst it is silent for so long that all go to sleep. Only the one that watches wakes by itself."""
    sink = probes.Recorder(keep=False)
    assert ends([probes.Quiet(4, 2, 80_000_000), sink], Options(**engine, workers=workers, pin=False))
    assert sink.tuples == 4


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("engine", [*ENGINES, pytest.param({"engine": "serial", "unit": 1}, id="serial")])
def test_somebody_wakes_when_the_next_tuple_is_due(
    probes: SimpleNamespace, engine: dict[str, Any], workers: int
) -> None:
    sink = probes.Recorder(keep=False)
    source = TableSource([np.arange(6)], ("value",))
    assert ends([source, sink], Options(**engine, workers=workers, rate=12, pin=False))
    assert sink.tuples == 6


@pytest.fixture
def naps_without_end() -> Iterator[None]:
    bound_sleeps(watch=SLEEP, sleep=SLEEP, nap=SLEEP)
    yield
    bound_sleeps()


@pytest.fixture
def generous(probes: SimpleNamespace, scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next execution has the plan whole, and workers that may leave their cores after the first unit."""

    class Engine(engines.OrderedEngine):  # type: ignore[misc]
        def __init__(self, operators: list[Any], partitions: list[int], *, workers: int, **how: Any) -> None:
            super().__init__(operators, partitions, workers=workers, **how)
            self.controller = probes.Generous(operators, partitions, workers=workers, **{**self.how, "unit": 1})

    monkeypatch.setattr("streambench.execution.engines.OrderedEngine", Engine)


@pytest.mark.usefixtures("naps_without_end")
@pytest.mark.usefixtures("generous")
def test_where_one_worker_has_everything_and_all_may_move_the_others_sleep_without_a_nap(
    probes: SimpleNamespace, scene: Any
) -> None:
    """Linux gives a core with naps to nobody. The one waits, at work, until the others sleep; naps have no end."""
    sink = probes.Recorder(keep=False)
    operators = [probes.Counting(3), probes.Cue(scene, sleep=(2, 2)), sink]
    assert ends(operators, Options(engine="ordered", unit=1, plan="whole", workers=3, pin=False))
    assert scene.starved == 0
    assert sink.tuples == 3


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.usefixtures("generous")
def test_a_lone_worker_that_has_run_dry_naps_though_all_may_move(probes: SimpleNamespace) -> None:
    """No tuple that comes would wake it. It finds none for 5 ms: too short for naps to have led to sleep."""
    sink = probes.Recorder(keep=False)
    assert ends(
        [probes.Quiet(4, 2, 5_000_000), sink], Options(engine="ordered", unit=1, plan="whole", workers=2, pin=False)
    )
    assert sink.tuples == 4
