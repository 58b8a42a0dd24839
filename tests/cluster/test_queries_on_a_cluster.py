"""Queries on a standalone cluster of two workers: the answer is SQL's, whatever the partitions are like."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from small_data import make, write

from streambench.datagen.buckets import KEYS
from streambench.datagen.deal import deal
from streambench.errors import StreambenchError
from streambench.lab.cluster.plan import Piece, Plan, pieces
from streambench.lab.cluster.plan import make as make_plan
from streambench.lab.cluster.problems import known_error
from streambench.lab.cluster.run import ClusterResult, opened, run_workload
from streambench.lab.cluster.standalone import StandaloneCluster
from streambench.lab.cluster.task import Task
from streambench.lab.data.catalog import Catalog

QUERIES = ("q1", "q2", "q3", "q4", "q15")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("small") / "data", seed=3).path


def run(query: str, data: Path, spark: Any, parameters: str = "paper", **how: Any) -> ClusterResult:
    return run_workload(opened(query, Catalog.open(data), parameters), spark, **how)


@pytest.mark.parametrize("parameters", ["paper", "kit"])
@pytest.mark.parametrize("query", QUERIES)
def test_the_answer_is_sqls(query: str, parameters: str, small: Path, on_cluster: Any) -> None:
    result = run(query, small, on_cluster, parameters)
    assert result.problem is None
    assert result.answer_ok
    assert result.sequence_ok is (True if query in ("q1", "q15") else None)
    assert result.sent_bytes > 0


@pytest.mark.parametrize("query", ["q1", "q4"])
def test_partitions_may_be_many_and_mostly_empty(query: str, small: Path, on_cluster: Any) -> None:
    result = run(query, small, on_cluster, partitions=12)
    assert result.problem is None
    assert result.partitions == 12


def test_data_in_buckets_are_not_split_again(tmp_path: Path, on_cluster: Any) -> None:
    data = make(tmp_path / "data", seed=3).path
    for table in KEYS:
        deal(data, table, sorted(f"{table}/{file.name}" for file in (data / table).iterdir()), 3)
    manifest = {"schema": 1, "kind": "datagen", "parameters": {"buckets": 3}, "tables": {}}
    (data / "manifest.json").write_text(json.dumps(manifest))
    for query in QUERIES:
        result = run(query, data, on_cluster)
        assert result.problem is None
        assert result.bucketed is (query != "q15")
        assert (result.sent_bytes > 0) is (query != "q4")


def test_a_user_with_nearly_all_clicks_and_tickets_out_of_order_change_nothing(tmp_path: Path, on_cluster: Any) -> None:
    skewed = make(tmp_path / "skewed", seed=4, users=2, clicks_per_user=900, tickets_ascend=False).path
    for query in ("q1", "q3", "q4"):
        assert run(query, skewed, on_cluster, partitions=5).problem is None


def test_a_stream_without_rows_has_an_answer_all_the_same(tmp_path: Path, on_cluster: Any) -> None:
    write(tmp_path / "empty", [], [], {1: 2}, {1: "dynamic"})
    for query in QUERIES:
        assert run(query, tmp_path / "empty", on_cluster).problem is None


@pytest.mark.parametrize("parameters", ["paper", "kit"])
def test_where_tickets_ascend_only_what_ranges_share_is_sent(
    parameters: str, small: Path, tmp_path: Path, on_cluster: Any
) -> None:
    """Files that do not tell their tickets are read as if they did not ascend."""
    shutil.copytree(small, tmp_path / "d")
    for file in (tmp_path / "d" / "store_sales").iterdir():
        pq.write_table(pq.read_table(file), file, write_statistics=False)
    for partitions in (1, 4, 50):
        ranged = run("q1", small, on_cluster, parameters, partitions=partitions)
        sent = run("q1", tmp_path / "d", on_cluster, parameters, partitions=partitions)
        assert ranged.problem is sent.problem is None
        assert ranged.answer.equals(sent.answer)
        assert 0 < ranged.sent_bytes < sent.sent_bytes


def test_files_out_of_order_are_named_by_the_tasks_that_look(tmp_path: Path, on_cluster: Any) -> None:
    data = make(tmp_path / "d", seed=3).path
    first, *_, last = sorted((data / "store_sales").iterdir())
    table = pq.read_table(first)
    pq.write_table(table.take(list(range(table.num_rows))[::-1]), first)
    with pytest.raises(StreambenchError, match=r"not in replay order: row \d+ of .*part-00000"), told_as_users_see_it():
        run("q1", data, on_cluster)
    pq.write_table(pq.read_table(last), first)
    with pytest.raises(StreambenchError, match=r"row 0 of .*part-00001"), told_as_users_see_it():
        run("q1", data, on_cluster)
    assert not (data / ".replay-order-store_sales.json").exists()


def test_an_executor_is_killed_amid_a_run_and_the_answer_is_right(
    small: Path, on_cluster: Any, standalone: StandaloneCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first task of the second stage kills its own executor, once: what its disk held must be made again."""
    once = tmp_path / "once"
    killed = [each.pid for each in standalone.executors()]
    assert killed
    task = Task.__call__

    def deadly(self: Task, partition: int, given: Any) -> Any:
        import os
        import signal

        import psutil

        if self.stage == 1 and not once.exists():
            once.touch()
            daemon = psutil.Process().parent()
            os.kill(daemon.ppid(), signal.SIGKILL)
        return task(self, partition, given)

    monkeypatch.setattr("streambench.lab.cluster.run.Task", lambda *of: partial(deadly, Task(*of)))
    result = run("q2", small, on_cluster)
    assert once.exists()
    assert result.problem is None


def test_a_task_that_runs_again_or_twice_counts_nothing_twice(
    small: Path, on_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each stage the first attempt of every task fails when it has sent all that it has."""
    task = Task.__call__

    def fickle(self: Task, partition: int, given: Any) -> Any:
        yield from task(self, partition, given)
        mark = tmp_path / f"{self.stage}-{partition}"
        if not mark.exists():
            mark.touch()
            raise RuntimeError("once")

    monkeypatch.setattr("streambench.lab.cluster.run.Task", lambda *of: partial(fickle, Task(*of)))
    result = run("q1", small, on_cluster)
    assert len(list(tmp_path.iterdir())) >= 6
    assert result.problem is None


def test_executors_with_another_version_are_refused_by_name(
    small: Path, on_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(*given: Any) -> Plan:
        return replace(make_plan(*given), version="0.0.9")

    monkeypatch.setattr("streambench.lab.cluster.run.plans.make", older)
    said = r"^the executor on .* has streambench .* and the driver 0\.0\.9: install"
    with pytest.raises(StreambenchError, match=said), told_as_users_see_it():
        run("q4", small, on_cluster)


def test_a_file_that_the_executors_do_not_see_is_named(
    small: Path, on_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(*given: Any) -> list[Piece]:
        return [replace(each, file=Path("/nowhere") / each.file.name) for each in pieces(*given)]

    monkeypatch.setattr("streambench.lab.cluster.run.plans.pieces", moved)
    with pytest.raises(StreambenchError, match=r"/nowhere/part-0000\d\.parquet"), told_as_users_see_it():
        run("q4", small, on_cluster)


@contextmanager
def told_as_users_see_it() -> Iterator[None]:
    """As ``session.running`` does around a run."""
    try:
        yield
    except StreambenchError:
        raise
    except Exception as problem:
        raise known_error(problem) from problem
