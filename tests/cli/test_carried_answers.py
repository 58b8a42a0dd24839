"""Answers that a data directory carries: valid for a copy, without DuckDB, and for nothing else."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hand_made import write_clicks, write_dimensions, write_events, write_sales

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.lab.answers import oracle
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.workload import Workload
from streambench.queries import query as queries

NAMES = [*queries.PAPER_QUERIES, "ysb"]


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a data directory that carries its answers."""
    made = tmp_path_factory.mktemp("made") / "data"
    for write in (write_sales, write_clicks, write_events, write_dimensions):
        write(made)
    for name in NAMES:
        oracle.carry(Catalog.open(made), name)
    copied = tmp_path_factory.mktemp("copied") / "data"
    shutil.copytree(made, copied, ignore=shutil.ignore_patterns(oracle.CACHE))
    return copied


@pytest.fixture
def without_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)


@pytest.mark.usefixtures("without_duckdb")
@pytest.mark.parametrize("name", NAMES)
def test_runs_of_one_lap_and_of_many_are_checked(carried: Path, name: str) -> None:
    workload = Workload(name, Catalog.open(carried))
    options = Options(workers=2, preload=True)
    measured, pipeline = workload.run(options, keep=workload.answer_needs_rows)
    assert workload.check(options, measured, pipeline) == (True, True, None)
    several = Options.of(options, laps=5)
    measured, pipeline = workload.run(several, keep=False)
    assert pipeline.sink.digest == workload.serial_digest(5)
    assert workload.lap_problem(5, measured) is None


@pytest.mark.usefixtures("without_duckdb")
def test_what_is_not_carried_is_refused_in_a_sentence(carried: Path) -> None:
    with pytest.raises(StreambenchError, match="DuckDB is not installed: pip install duckdb"):
        oracle.expected(Catalog.open(carried), "q1", "kit")


@pytest.mark.usefixtures("without_duckdb")
def test_an_answer_is_not_taken_for_other_data(carried: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(carried, changed)
    file = changed / "web_clickstreams" / "part-00000.parquet"
    pq.write_table(pq.read_table(file).slice(1), file)
    with pytest.raises(StreambenchError, match="DuckDB is not installed"):
        oracle.expected(Catalog.open(changed), "q4")


@pytest.mark.usefixtures("without_duckdb")
def test_a_forged_answer_is_not_believed(carried: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    shutil.copytree(carried, forged)
    answers = forged / "answers"
    shutil.copy(answers / "q2-paper-oracle-1.parquet", answers / "q1-paper-oracle-1.parquet")
    with pytest.raises(StreambenchError, match="DuckDB is not installed"):
        oracle.expected(Catalog.open(forged), "q1")


def test_carried_answers_are_those_of_sql(carried: Path) -> None:
    shutil.rmtree(carried / oracle.CACHE, ignore_errors=True)
    for name in NAMES:
        answer = oracle.expected(Catalog.open(carried), name)
        bare = carried.parent / f"bare-{name}"
        shutil.copytree(carried, bare, ignore=shutil.ignore_patterns("answers", oracle.CACHE))
        assert answer.equals(oracle.expected(Catalog.open(bare), name))
