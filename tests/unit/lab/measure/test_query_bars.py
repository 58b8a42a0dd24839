"""The queries' bars measure what they say, and refuse to give a number to a wrong run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import small_data

from streambench.errors import DataError, StreambenchError
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf.query_bars import DUCKDB, LOOP, SERIAL, Bars, ordered
from streambench.lab.workloads.workload import Workload

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog.open(small_data.make(tmp_path_factory.mktemp("bars") / "d", 1).path)


def bars_of(workload: Workload, laps: int = 1) -> Bars:
    return Bars(workload, (1, 2), laps, seconds=0)


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_every_bar_gives_a_number_of_its_own(catalog: Catalog, query: str) -> None:
    bars = bars_of(Workload(query, catalog), laps=2)
    assert list(bars.by_name) == [LOOP, SERIAL, DUCKDB, ordered(1), ordered(2)]
    assert bars.tuples == 2 * Workload(query, catalog).rows
    assert min(bar() for bar in bars.by_name.values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [LOOP, SERIAL, ordered(2)])
@pytest.mark.parametrize("query", QUERIES)
def test_a_wrong_run_has_no_number(catalog: Catalog, query: str, name: str) -> None:
    bars = bars_of(Workload(query, catalog), laps=2)
    assert bars.by_name[name]() > 0
    stream = bars.longer.stream
    assert stream is not None
    bars.longer.serial_digest(1)
    half = tuple(column[: stream.rows // 2] for column in stream.columns)
    bars.longer.stream = replace(stream, columns=half, rows=stream.rows // 2)
    bars.loop.columns = half
    with pytest.raises(StreambenchError, match=f"{query}, {name}: (the output sequence is not|two runs did not)"):
        bars.by_name[name]()


def test_an_empty_stream_is_refused(tmp_path: Path) -> None:
    small_data.write(tmp_path / "d", [], [], {}, {})
    with pytest.raises(DataError, match="is empty: there is nothing to measure"):
        bars_of(Workload("q1", Catalog.open(tmp_path / "d")))
