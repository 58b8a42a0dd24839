"""Tasks by hand, without Spark: what they send has a place of its own, and an executor says which file it lacks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_data import make

from streambench.datagen.errors import DatagenError
from streambench.lab.cluster import plan as plans
from streambench.lab.cluster.ranges import ranges
from streambench.lab.cluster.run import _looked_at, opened
from streambench.lab.cluster.task import FINISHED, Look, Task
from streambench.lab.data.catalog import Catalog

PARTITIONS = 3


@pytest.mark.parametrize(("query", "ranged"), [("q1", False), ("q1", True), ("q2", False), ("q3", False)])
def test_blocks_of_a_shuffle_have_a_place_each(query: str, ranged: bool, tmp_path: Path) -> None:
    workload = opened(query, Catalog.open(make(tmp_path / "data", seed=3).path))
    plan = plans.make(workload, PARTITIONS, 1, False)
    pieces = plans.pieces(workload.data, workload.query.table)
    first: list[Any] = [[piece] for piece in pieces]
    if ranged:
        owners = ranges(pieces, plan.cut().shuffles[0].key[0], PARTITIONS)
        assert owners is not None
        plan, first = replace(plan, ranged=True), [[owner] for owner in owners]
    shared = SimpleNamespace(value=plan)
    given = first
    for stage in (0,) if ranged else range(len(plan.cut().shuffles)):
        sent = [list(Task(shared, stage)(number, some)) for number, some in enumerate(given)]
        assert sum(map(bool, sent)) > 1
        assert all(len(keys) == len(set(keys)) for keys in ([key for key, _ in blocks] for blocks in sent))
        places = [key[2] for blocks in sent for key, _ in blocks if key[1] != FINISHED]
        by_task = [{key[2] for key, _ in blocks if key[1] != FINISHED} for blocks in sent]
        assert sum(map(len, by_task)) == len(set(places))
        to: dict[int, list[Any]] = defaultdict(list)
        for key, block in (each for blocks in sent for each in blocks):
            to[key[0]].append((key, block))
        given = [sorted(to[partition], key=lambda each: each[0]) for partition in range(PARTITIONS)]


def test_an_executor_that_lacks_a_file_says_so(tmp_path: Path) -> None:
    files = Catalog.open(make(tmp_path / "data", seed=3).path).table("web_clickstreams")
    lacking = tmp_path / "elsewhere" / "part-0.parquet"
    with pytest.raises(DatagenError, match=rf"^an executor \(\S+\) does not see {lacking}: put it on a file system"):
        Look(files)(lacking)


def test_executors_are_given_whole_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "data", seed=3)
    monkeypatch.chdir(tmp_path)
    seen: list[Path] = []

    class Context:
        def parallelize(self, files: list[Path], tasks: int) -> Context:
            seen.extend(files)
            return self

        def map(self, look: Any) -> Context:
            return self

        def collect(self) -> list[Any]:
            return []

    _looked_at(Context(), Catalog.open(Path("data")).table("web_clickstreams"))
    assert seen == sorted((tmp_path / "data" / "web_clickstreams").glob("*.parquet"))
