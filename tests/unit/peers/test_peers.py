"""Peers answer as SQL does; whoever does not has no number; whoever is not here is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import small_data

from streambench.data.catalog import Catalog
from streambench.errors import OptionError, StreambenchError
from streambench.peers import (
    bytewax_stream,
    duckdb_batch,
    named,
    onetbb_stream,
    ours,
    polars_batch,
    spark_stream,
)
from streambench.peers.contender import Contender
from streambench.peers.measure import QUERIES, Settings, measure
from streambench.peers.peer import Asked, Peer, Ran, lacks
from streambench.peers.process import PeerError, PeerProcess
from streambench.peers.reference import Reference
from streambench.record import peers_summary

ANSWER = pa.table({"item_a": [1, 1, 2], "item_b": [2, 3, 3], "n": [3, 2, 1]})
Q2 = Reference("q2", 100, ANSWER, "digest")


class Made:
    """A peer that is ready, made of what its runs shall give; it ends where they do."""

    start_seconds = 1.0

    def __init__(self, *runs: Ran) -> None:
        self.runs = list(runs)
        self.closed = False

    def run(self) -> Ran:
        if not self.runs:
            raise PeerError("it ended")
        return self.runs.pop(0)

    def peak_memory(self) -> int:
        return 1 << 20

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data.make(tmp_path_factory.mktemp("peers") / "d", 1).path


def require_right(peer: Peer, data: Path, queries: tuple[str, ...] = QUERIES) -> None:
    """The same twice: a run leaves nothing to the next."""
    for query in queries:
        reference = Reference.of(query, Catalog.open(data))
        run = peer.prepare(Asked(query, data, 2))
        assert [reference.problem(peer.order, run()) for _ in range(2)] == [None, None], query


@pytest.mark.parametrize("peer", [ours.ORDERED, duckdb_batch.PEER, polars_batch.PEER], ids=lambda peer: peer.name)
def test_every_answer_is_sql_s(peer: Peer, data: Path) -> None:
    require_right(peer, data)


@pytest.mark.slow
@pytest.mark.parametrize("peer", [onetbb_stream.PEER, bytewax_stream.PEER], ids=lambda peer: peer.name)
def test_every_answer_of_other_streams_is_sql_s(peer: Peer, data: Path) -> None:
    if (lacking := peer.missing()) is not None:
        pytest.skip(lacking)
    require_right(peer, data)


@pytest.mark.slow
def test_spark_s_answer_is_sql_s(tmp_path: Path) -> None:
    """As a stream, whose plans are those in batch too; a session is what is most easily taken for another."""
    path = small_data.make(tmp_path / "d", 1, files=1).path
    reference = Reference.of("q4", Catalog.open(path))
    ran = spark_stream.PEER.prepare(Asked("q4", path, 2))()
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
    reference = Reference.of("q2", Catalog.open(path))
    right, wrong = (Ran(answer, reference.digest, None, 0.5) for answer in (reference.answer, ANSWER))
    runs = {
        "serial": Made(right, right, right),
        "ordered": Made(right, right, right),
        "duckdb": Made(right, right, wrong),  # only its last run is
        "polars": Made(wrong, right, right),  # warming up is
        "bytewax": Made(right),  # it ends
    }
    peers = [replace(named.find(name), package="streambench") for name in runs]
    document = measure(Settings(path, ("q2",), repeats=2, workers=2), peers, start=lambda peer, asked: runs[peer.name])
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
    contender = Contender(duckdb_batch.PEER, Asked("q15", data, 1), Reference.of("q15", Catalog.open(data)))
    contender.begin(PeerProcess)
    try:
        runs = [contender.run(repeat, None) for repeat in range(2)]
    finally:
        contender.end()
    assert [run["verified"] for run in runs] == [True, True]
    assert all(run["peak_memory"] > 1 << 20 and run["start_seconds"] > run["seconds"] > 0 for run in runs)


def test_a_process_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match=r"duckdb failed: DataError: There is no data directory"):
        PeerProcess(duckdb_batch.PEER, Asked("q15", tmp_path / "none", 1))


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
    [({"queries": ("q5",)}, "no query 'q5'"), ({"queries": ("q1", "q1")}, "named twice"), ({"repeats": 0}, "at least")],
)
def test_what_nobody_can_measure_is_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        Settings(Path("data"), **wrong)
