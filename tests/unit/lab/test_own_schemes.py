"""A heuristic of one's own, module:Class, schedules the paper's stages; what is wrong with one is told."""

from __future__ import annotations

import importlib
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streambench
from streambench import OptionError, Options, Pipeline, TableSink, TableSource
from streambench.lab.measure.sweep.product import Product

TEXT = """
seen = set()

class Last:
    def choose(self, operators, time_slice, worker):
        seen.add((worker.number, worker.core, worker.node, len(operators), time_slice > 0))
        return max((place for place, each in enumerate(operators) if each.schedulable), default=None)

class Raises(Last):
    def choose(self, operators, time_slice, worker):
        raise LookupError("no operator is good enough")

class Wrong(Last):
    def choose(self, operators, time_slice, worker):
        return len(operators)

class Text(Last):
    def choose(self, operators, time_slice, worker):
        return "the last one"

class Without:
    pass

class Unmade(Last):
    def __init__(self):
        raise ValueError("it cannot be made")
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    name = f"mine_{zlib.crc32(request.node.name.encode())}"
    (tmp_path / f"{name}.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return name


def run(heuristic: str, **how: Any) -> list[int]:
    source = TableSource([np.arange(5000) % 40], ["key"])
    counted = streambench.keyed(key="key", state=[("n", "int64")], appends="n", numba=False)(_count)
    pipeline = Pipeline([source, streambench.filtered(lambda key: key % 2 == 0, numba=False), counted, TableSink()])
    pipeline.run(engine="schemes", heuristic=heuristic, unit=7, partitions=3, **how)
    found: list[int] = pipeline.sink.rows()[-1].tolist()
    return found


def _count(state: Any, key: int) -> int:
    state["n"] += 1
    return int(state["n"])


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_one_in_python_gives_the_sequence_that_others_give(mine: str, workers: int) -> None:
    wanted = run("ct", workers=workers, pin=False)
    assert run(f"{mine}:Last", workers=workers, pin=False) == wanted
    seen = importlib.import_module(mine).seen
    assert {number for number, *_ in seen} == set(range(workers))
    assert {each[1:] for each in seen} == {(-1, -1, 3, True)}


def test_one_is_told_the_core_and_the_node_of_a_bound_worker(mine: str) -> None:
    run(f"{mine}:Last", workers=1)
    ((_, core, node, _, _),) = importlib.import_module(mine).seen
    assert core >= 0
    assert node >= 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Raises", "the heuristic Raises raised LookupError in choose: no operator is good enough."),
        ("Wrong", "the heuristic Wrong chose operator 3, which is not schedulable."),
        ("Text", "the heuristic Text raised TypeError in choose: "),
        ("Without", "Without has no method `choose.operators, time_slice, worker.`: give it one."),
        ("Unmade", "Unmade raised ValueError: it cannot be made"),
        ("Nothing", "has no class Nothing."),
        ("a b", "own heuristics are called module:Class, such as mine:Balanced, not "),
    ],
)
@pytest.mark.parametrize("workers", [1, 3])
def test_what_is_wrong_is_told(mine: str, name: str, why: str, workers: int) -> None:
    with pytest.raises(OptionError, match=why):
        run(f"{mine}:{name}", workers=workers, pin=False)


def test_a_missing_module_is_told() -> None:
    with pytest.raises(OptionError, match="there is no module nowhere_at_all"):
        run("nowhere_at_all:Last")
    with pytest.raises(OptionError, match="heuristic must be one of"):
        Options(heuristic="best")


OWN = {
    "reorder": "streambench.pyx.schemes.ticket_reorder_buffer:TicketReorderBuffer",
    "partitioning": "streambench.pyx.schemes.shared_queue:SharedQueue",
}


@pytest.mark.parametrize("option", OWN)
def test_a_reorder_buffer_or_a_worklist_is_found_by_its_name(option: str) -> None:
    assert run("lp", workers=3, pin=False, **{option: OWN[option]}) == run("lp", workers=3, pin=False)


@pytest.mark.parametrize(("option", "method"), [("reorder", r"put\(serial\)"), ("partitioning", r"put\(partition\)")])
def test_one_that_has_not_its_methods_is_refused(option: str, method: str) -> None:
    with pytest.raises(OptionError, match=f"pathlib:Path has no method `{method}`: give it one."):
        run("lp", **{option: "pathlib:Path"})
    with pytest.raises(OptionError, match=r"module zlib has no class compress\."):
        run("lp", **{option: "zlib:compress"})


def test_it_is_a_value_of_a_sweeps_axis(mine: str) -> None:
    (comparison,) = Product(queries=("q2",), workers=(2,), heuristics=("lp", "lp:8", f"{mine}:Last")).comparisons()
    assert [each.heuristic for each in comparison.configurations] == [None, "lp", "lp:8", f"{mine}:Last"]
