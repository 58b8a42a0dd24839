"""What the microbenchmarks share: the compiled loops, and how a number of calls is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from streambench.lab.measure.perf.compiled import compiled

CALLS = 1000
NAMES = ("timed_hand_over", "timed_unit", "timed_gate", "timed_scheduler")


@pytest.fixture(scope="session")
def loops() -> SimpleNamespace:
    """The classes of this folder's ``.pyx`` files, compiled as the package is."""
    modules = compiled(Path(__file__).parent, [{"name": name} for name in NAMES])
    return SimpleNamespace(**{name: value for each in modules for name, value in vars(each).items() if name[0] != "_"})


@pytest.fixture
def repeat(benchmark: Any) -> Callable[[Callable[[int], Any]], Any]:
    """Time a loop that calls a primitive so often as it is told; a round is ``CALLS`` calls of the primitive."""

    def measure(loop: Callable[[int], Any]) -> Any:
        benchmark.extra_info["calls"] = CALLS
        return benchmark(loop, CALLS)

    return measure


@pytest.fixture
def once(benchmark: Any) -> Callable[..., Any]:
    """Time one call of ``act`` on what ``prepare`` makes anew for every round; ``tuples``: what a round processes."""

    def measure(prepare: Callable[[], Any], act: Callable[[Any], Any], tuples: int, rounds: int = 50) -> Any:
        benchmark.extra_info["tuples"] = tuples
        return benchmark.pedantic(act, setup=lambda: ((prepare(),), {}), rounds=rounds)

    return measure
