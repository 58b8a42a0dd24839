"""The queries' bars measure what they say, refuse to give a number to a wrong run, and judge by the targets."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "queries"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import small_data
from query_bars import DUCKDB, FUSED, SERIAL, Bars, measure, ordered, ratios

from streambench.catalog import Catalog
from streambench.errors import DataError, StreambenchError
from streambench.workload import Workload

QUERIES = ("q1", "q2", "q3", "q4", "q15")
PROGRAM = Path(__file__).resolve().with_name("query_bars.py")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog.open(small_data.make(tmp_path_factory.mktemp("bars") / "d", 1).path)


def bars_of(workload: Workload, laps: int = 1) -> Bars:
    return Bars(workload, (1, 2), laps, seconds=0)


@pytest.mark.parametrize("query", QUERIES)
def test_every_bar_is_measured_as_often_as_asked_and_compared(catalog: Catalog, query: str) -> None:
    told: list[str] = []
    found = measure(Workload(query, catalog), workers=(1, 2, 3), repeats=2, seconds=0.001, tell=told.append)
    assert json.loads(json.dumps(found)) == found
    assert [bar["name"] for bar in found["bars"]] == [FUSED, SERIAL, DUCKDB, ordered(1), ordered(2), ordered(3)]
    assert all(len(bar["runs"]) == 2 and min(bar["runs"]) > 0 for bar in found["bars"])
    assert found["tuples"] == found["laps"] * Workload(query, catalog).rows
    assert {(row["what"], row["base"]) for row in found["ratios"]} == {
        (SERIAL, FUSED),
        (SERIAL, DUCKDB),
        (ordered(1), SERIAL),
        (ordered(2), FUSED),
        (ordered(3), FUSED),
    }
    assert told[0] == f"{query}: checking the answers"
    assert told[-1] == f"{query}, {FUSED}: repeat 2 of 2"  # A B B A


@pytest.mark.parametrize("name", [FUSED, SERIAL, ordered(2)])
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


def test_ratios_are_speeds_and_only_those_with_a_target_are_judged() -> None:
    found = {FUSED: [30.0, 30.0], SERIAL: [40.0, 40.0], ordered(2): [20.0, 20.0], ordered(8): [15.0, 15.0]}
    rows = {(row["what"], row["base"]): row for row in ratios("q1", found)}
    assert rows[SERIAL, FUSED]["median"] == 0.75
    assert rows[SERIAL, FUSED]["target"] == 0.77
    assert rows[SERIAL, FUSED]["met"] is False
    assert rows[ordered(2), FUSED]["median"] == 1.5
    assert rows[ordered(2), FUSED]["met"] is True
    assert rows[ordered(8), FUSED]["median"] == 2.0
    assert rows[ordered(8), FUSED]["met"] is None
    assert len(rows) == 3


def test_an_empty_stream_is_refused(tmp_path: Path) -> None:
    small_data.write(tmp_path / "d", [], [], {}, {})
    with pytest.raises(DataError, match="is empty: there is nothing to measure"):
        measure(Workload("q1", Catalog.open(tmp_path / "d")))


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--data", "nowhere"], 1, "query_bars: There is no data directory nowhere"),
        (["--data", ".", "--queries", "q9"], 2, "'q9': choose from q1, q2, q3, q4, q15, with commas."),
        (["--data", ".", "--workers", "0"], 2, "'0': give whole numbers from 1 up, with commas."),
        ([], 2, "Missing option '--data'"),
    ],
)
def test_the_command_refuses_in_one_sentence(arguments: list[str], code: int, told: str) -> None:
    command = [sys.executable, str(PROGRAM), *arguments]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == code
    assert told in made.stderr
    assert "Traceback" not in made.stderr


def test_the_command_prints_bars_and_ratios(catalog: Catalog) -> None:
    command = [sys.executable, str(PROGRAM), "--data", str(catalog.path), "--queries", "q4"]
    command += ["--workers", "1", "--repeats", "1", "--seconds", "0.001"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert "nanoseconds per tuple" in made.stdout
    assert "how many times as fast" in made.stdout
    assert "of 3 targets met" in made.stdout
    assert "q4: checking the answers" in made.stderr
