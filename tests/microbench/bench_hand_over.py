"""What units pass on their way from worker to worker: reorder buffers, the turn ring, queues, worklists."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import CALLS
from streambench.pyx.schemes.schemes_engine import PARTITIONINGS, REORDERS

Repeat = Callable[[Callable[[int], Any]], Any]

PARTITIONS = 64


@pytest.mark.benchmark(group="reorder buffers")
@pytest.mark.parametrize("order", ["in_order", "in_pairs"])
@pytest.mark.parametrize("scheme", REORDERS)
def bench_send(loops: SimpleNamespace, repeat: Repeat, scheme: str, order: str) -> None:
    """An output sent; ``in_pairs``: the later one of two comes first."""
    assert repeat(loops.Sends(scheme, order == "in_pairs").run) % CALLS == 0


@pytest.mark.benchmark(group="turn ring")
def bench_turn(loops: SimpleNamespace, repeat: Repeat) -> None:
    """An item put, dealt with, and the turn left."""
    assert repeat(loops.Turns().run) % CALLS == 0


@pytest.mark.benchmark(group="queues")
@pytest.mark.parametrize("end", ["alone", "shared"])
def bench_push_and_pop(loops: SimpleNamespace, repeat: Repeat, end: str) -> None:
    """An item pushed and popped; ``shared``: as where several workers may pop."""
    assert repeat(loops.Queue(end == "shared").run) == CALLS * (CALLS + 1) // 2


@pytest.mark.benchmark(group="partitioned worklists")
@pytest.mark.parametrize("scheme", PARTITIONINGS)
def bench_add_and_take(loops: SimpleNamespace, repeat: Repeat, scheme: str) -> None:
    """An item added and taken, 64 to a visit, over 64 partitions."""
    assert repeat(loops.Worklist(scheme, PARTITIONS).run) % CALLS == 0
