"""Peers answer as SQL does; whoever does not has no number; whoever is not here is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
import small_data

from streambench.datagen import spark
from streambench.errors import OptionError, StreambenchError
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.frame import BenchData, measure
from streambench.lab.peers import (
    bytewax_stream,
    duckdb_batch,
    named,
    operators,
    polars_batch,
)
from streambench.lab.peers import (
    spark as spark_peers,
)
from streambench.lab.peers.bench import PeersBench
from streambench.lab.peers.columns import QUERIES
from streambench.lab.peers.contender import Contender
from streambench.lab.peers.peer import Peer, PeerJob, Ran, lacks
from streambench.lab.peers.process import PeerError, PeerProcess
from streambench.lab.peers.reference import Reference, References
from streambench.lab.record import peers_summary
from streambench.lab.record.journal import Memory

ANSWER = pa.table({"item_a": [1, 1, 2], "item_b": [2, 3, 3], "n": [3, 2, 1]})
Q2 = Reference("q2", 100, ANSWER, "digest")


class Made:
    """A peer that is ready, made of what its runs shall give; it ends where they do."""

    start_seconds = 1.0

    def __init__(self, *runs: Ran) -> None:
        self.runs = list(runs)
        self.closed = False

    def run(self, laps: int = 1) -> Ran:
        if not self.runs:
            raise PeerError("it ended")
        return self.runs.pop(0)

    def peak_memory(self) -> int:
        return 1 << 20

    def close(self) -> None:
        self.closed = True


def measured(bench: PeersBench, data: Path, start: Any, **frame: Any) -> dict[str, Any]:
    """The document, of peers that ``start`` gives."""
    with patch.object(PeersBench, "start", staticmethod(start)):
        return measure(bench, data=BenchData(Catalog.open(data), bench.queries), **frame)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data.make(tmp_path_factory.mktemp("peers") / "d", 1).path


def require_right(peer: Peer, data: Path) -> None:
    """The same twice: a run leaves nothing to the next."""
    peer.build()
    for query in QUERIES:
        references = References(query, Catalog.open(data))
        run = peer.prepare(PeerJob(query, data, 2))
        for laps in (1, 3) if peer.replays else (None, None):
            ran = run() if laps is None else run(laps)
            assert references.over(laps or 1).problem(peer.order, ran) is None, query


@pytest.mark.parametrize("peer", [operators.ORDERED, duckdb_batch.PEER, polars_batch.PEER], ids=lambda peer: peer.name)
def test_every_answer_is_sql_s(peer: Peer, data: Path) -> None:
    require_right(peer, data)


@pytest.mark.slow
@pytest.mark.parametrize("peer", [operators.ONETBB, bytewax_stream.PEER], ids=lambda peer: peer.name)
def test_every_answer_of_other_streams_is_sql_s(peer: Peer, data: Path) -> None:
    if (lacking := peer.missing()) is not None:
        pytest.skip(lacking)
    require_right(peer, data)


@pytest.mark.slow
def test_spark_s_answer_is_sql_s(tmp_path: Path) -> None:
    """As a stream, whose plans are those in batch too; a session is what is most easily taken for another."""
    path = small_data.make(tmp_path / "d", 1, files=1).path
    reference = References("q4", Catalog.open(path)).over(1)
    with spark.running("local[2]"):  # a peer's own ends with its process, which is here that of all tests
        ran = spark_peers.STREAM.prepare(PeerJob("q4", path, 2))()
    assert reference.problem("none", ran) is None
    assert ran.seconds is not None
    assert ran.latency is not None
    assert ran.latency["max"] <= ran.seconds


def test_rows_may_come_in_any_order_only_where_none_is_promised() -> None:
    turned = Ran(ANSWER.take([2, 0, 1]), Q2.digest)
    assert Q2.problem("none", turned) is None
    assert "Row 0" in str(Q2.problem("sequence", turned))
    assert Q2.problem("sequence", Ran(ANSWER, Q2.digest)) is None
    assert "output sequence" in str(Q2.problem("sequence", Ran(ANSWER, "other")))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ANSWER.slice(0, 2), "has 2 rows where SQL gives 3"),
        (ANSWER.set_column(2, "n", pa.array([3, 2, 2])), "Row 2 of q2's answer"),
        (ANSWER.select(["item_a", "n"]), "has columns"),
    ],
)
def test_a_wrong_answer_is_told(answer: pa.Table, told: str) -> None:
    assert told in str(Q2.problem("none", Ran(answer)))


def test_a_peer_that_answers_wrongly_has_no_number(tmp_path: Path) -> None:
    path = small_data.make(tmp_path / "d", 2, tickets=20).path
    reference = References("q2", Catalog.open(path)).over(1)
    right, wrong = (Ran(answer, reference.digest, None, 0.5) for answer in (reference.answer, ANSWER))
    runs = {
        "serial": Made(right, right, right),
        "ordered": Made(right, right, right),
        "duckdb": Made(right, right, wrong),  # only its last run is
        "polars": Made(wrong, right, right),  # warming up is
        "bytewax": Made(right),  # it ends
    }
    peers = [replace(named.find(name), package="streambench", replays=False) for name in runs]
    bench = PeersBench(peers, ("q2",), repeats=2, workers=2)
    document = measured(bench, path, lambda peer, asked: runs[peer.name])
    rows = {row["peer"]: row for row in document["summary"]}
    tuples = reference.tuples
    assert [rows[name]["throughput"] for name in runs] == [2 * tuples, 2 * tuples, None, None, None]
    assert [rows[name]["verified"] for name in runs] == [True, True, False, False, False]
    assert all("Row 0" in rows[name]["problem"] for name in ("duckdb", "polars"))
    assert rows["bytewax"]["problem"] == "it ended"
    assert rows["serial"]["ratio"]["median"] == 1
    assert all(each.closed for each in runs.values())
    bad = [run for run in document["runs"] if not run["verified"]]
    assert {name: sum(run["peer"] == name for run in bad) for name in runs} == {
        "serial": 0,
        "ordered": 0,
        "duckdb": 1,
        "polars": 1,
        "bytewax": 1,
    }
    assert all(run[name] is None for run in bad for name in ("seconds", "throughput", "latency"))
    assert len(peers_summary.wrong(document["summary"])) == 3


def test_a_process_of_its_own_tells_its_start_and_its_memory_and_runs_again(data: Path) -> None:
    contender = Contender(operators.SERIAL, PeerJob("q15", data, 1), References("q15", Catalog.open(data)))
    contender.begin(PeerProcess)
    try:
        runs = [contender.run(repeat, laps, None) for repeat, laps in enumerate((1, 3))]
    finally:
        contender.end()
    assert [(run["verified"], run["laps"]) for run in runs] == [(True, 1), (True, 3)]
    assert all(run["peak_memory"] > 1 << 20 and run["start_seconds"] > run["pass_seconds"] > 0 for run in runs)
    assert runs[0]["seconds"] == runs[0]["pass_seconds"]


class Timed:
    """A peer that is ready and right, and takes ``start`` seconds for each run and ``lap`` for each lap of it."""

    start_seconds = 10.0

    def __init__(self, references: References, start: float, lap: float, runs: int = 1 << 30) -> None:
        self._references, self._start, self._lap, self._left = references, start, lap, runs
        self.laps: list[int] = []

    def run(self, laps: int = 1) -> Ran:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        self.laps.append(laps)
        reference = self._references.over(laps)
        return Ran(reference.answer, reference.digest, None, self._start + laps * self._lap)

    def peak_memory(self) -> int:
        return 1

    def close(self) -> None:
        """Nothing is there to end."""


@pytest.fixture
def timed(data: Path) -> dict[str, Timed]:
    """Of q15: ours and duckdb."""
    of = References("q15", Catalog.open(data))
    return {"serial": Timed(of, 0, 0.25), "ordered": Timed(of, 0.125, 0.125), "duckdb": Timed(of, 0, 1)}


def test_who_replays_the_stream_does_so_until_the_fastest_lasts_and_who_does_not_is_compared_with_one_pass(
    data: Path, timed: dict[str, Timed]
) -> None:
    bench = PeersBench([named.find(name) for name in timed], ("q15",), repeats=1, min_seconds=4)
    document = measured(bench, data, lambda peer, asked: timed[peer.name])
    rows = {row["peer"]: row for row in document["summary"]}
    # Two laps of `ordered` take 0.375 s, so 0.8 s are tried with 4, which take 0.625 s: at that speed 26 take 4 s.
    assert timed["ordered"].laps == [1, 2, 4, 1, 26]
    assert timed["serial"].laps == [1, 2, 1, 26]
    assert timed["duckdb"].laps == [1, 1]
    assert [rows[name]["laps"] for name in timed] == [26, 26, 1]
    assert [rows[name]["pass_seconds"] for name in timed] == [0.25, 0.25, 1]
    assert rows["ordered"]["throughput"] == pytest.approx(rows["duckdb"]["throughput"] * 26 / 3.375)
    assert rows["serial"]["ratio"]["median"] == pytest.approx(6.5 / 3.375)
    assert rows["duckdb"]["ratio"]["median"] == 4


def test_what_was_measured_before_an_interruption_is_kept_and_only_what_is_missing_is_started(
    data: Path, timed: dict[str, Timed]
) -> None:
    peers = [named.find(name) for name in timed]
    bench = PeersBench(peers, ("q15",), repeats=3, min_seconds=4)
    journal, whole = Memory(), Memory()
    want = measured(bench, data, lambda peer, asked: timed[peer.name], journal=whole)["runs"]
    timed["ordered"] = Timed(References("q15", Catalog.open(data)), 0.125, 0.125, runs=5)  # as it ends
    with pytest.raises(KeyboardInterrupt):
        measured(bench, data, lambda peer, asked: timed[peer.name], journal=journal)
    kept = [each["key"] for each in journal.records if each["step"] == "run"]
    assert kept == ["q15 serial 0", "q15 ordered 0", "q15 duckdb 0", "q15 duckdb 1"]

    timed["ordered"] = Timed(References("q15", Catalog.open(data)), 0.125, 0.125)
    said: list[tuple[str, float]] = []
    found = measured(
        bench, data, lambda peer, asked: timed[peer.name], report=lambda *words: said.append(words), journal=journal
    )
    assert [(run["peer"], run["repeat"], run["laps"]) for run in found["runs"]] == [
        (run["peer"], run["repeat"], run["laps"]) for run in want
    ]
    assert timed["ordered"].laps == [1, 1, 26, 1, 26]
    assert found["parameters"]["calls"] == 2
    assert said[0] == ("q15: SQL's answer", 4 / 9)
    assert said[-1] == ("q15: duckdb, repeat 3 of 3", 8 / 9)

    def nobody(peer: Peer, asked: PeerJob) -> Timed:
        raise AssertionError(f"{peer.name} was started")

    assert measured(bench, data, nobody, journal=journal)["runs"] == found["runs"]


def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match=r"duckdb failed: DataError: There is no data directory"):
        PeerProcess(duckdb_batch.PEER, PeerJob("q15", tmp_path / "none", 1))


def test_a_peer_that_is_not_installed_is_left_out_with_a_word_on_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    absent = replace(polars_batch.PEER, missing=lambda: lacks("no-such-package"))
    monkeypatch.setattr(polars_batch, "PEER", absent)
    peers, left_out = named.chosen(("duckdb", "polars"))
    assert [peer.name for peer in peers] == ["serial", "ordered", "duckdb"]
    assert left_out == ["polars is left out: no-such-package is not installed (pip install 'streambench[peers]')"]
    with pytest.raises(StreambenchError, match="no-such-package is not installed"):
        named.chosen(("polars",))
    with pytest.raises(OptionError, match="there is no peer"):
        named.chosen(("storm",))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"queries": ("q5",)}, "no query 'q5': choose from q1"),
        ({"queries": ("q1", "q1")}, "named twice"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"min_seconds": 0}, "min_seconds must be more than 0"),
    ],
)
def test_what_nobody_can_measure_is_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        PeersBench(**wrong)
