"""Rows reach a topic in order, once, by whole batches with transactions."""

from __future__ import annotations

import datetime
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from saved_runs import fault, write_at_once
from saved_runs import run as saved_run
from sink_pipelines import numbered, plain, source

import streambench
from streambench.errors import OptionError, SinkError, StreambenchError
from streambench.sinks.kafka_sink import json_rows

kafka = pytest.importorskip("confluent_kafka", reason="Kafka's client is not installed")
SECONDS = 60.0
PROGRAM = Path(__file__).resolve().parents[3] / "docs" / "examples" / "kafka_revenue.py"


class Client:
    """Stands for a producer whose memory holds ``room`` messages; the broker refuses the message ``refused``."""

    def __init__(self, room: int = 50, refused: int = -1) -> None:
        self.room, self.refused = room, refused
        self.waiting: list[tuple[bytes, Any]] = []
        self.log: list[Any] = []

    def __call__(self, settings: dict[str, Any]) -> Client:
        self.settings = settings
        return self

    def list_topics(self, topic: str, timeout: float) -> Any:
        return SimpleNamespace(topics={topic: SimpleNamespace(error=None, partitions={0: None})})

    def produce(self, topic: str, value: bytes, partition: int, on_delivery: Any) -> None:
        if len(self.waiting) == self.room:
            raise BufferError
        assert partition == 0
        self.waiting.append((value, on_delivery))

    def poll(self, seconds: float) -> None:
        if len(self.waiting) == self.room:
            self.flush(seconds)

    def flush(self, seconds: float = SECONDS) -> int:
        for value, on_delivery in self.waiting:
            problem = None
            if len(self.log) == self.refused:
                problem = SimpleNamespace(str=lambda: "too large")
            on_delivery(problem, None)
            self.log.append(value)
        self.waiting.clear()
        return 0

    def purge(self) -> None:
        self.waiting.clear()

    def __getattr__(self, name: str) -> Any:
        assert name.endswith(("_transaction", "_transactions")), name
        return lambda *seconds: self.log.append(name)


def run(client: Client, monkeypatch: pytest.MonkeyPatch, **how: Any) -> list[Any]:
    monkeypatch.setattr(kafka, "Producer", client)
    sink = streambench.KafkaSink("b:1", "out", batch_rows=150, batch_seconds=None, **how)
    streambench.Pipeline([source(400), numbered, sink]).run(workers=2)
    return client.log


def test_rows_are_messages_in_order_however_little_the_client_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    log = run(Client(), monkeypatch)
    assert [json.loads(each) for each in log] == plain(400)[0].to_pylist()


def test_each_batch_is_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    log = run(client, monkeypatch, transactional_id="mine")
    assert client.settings["transactional.id"] == "mine"
    kinds = [each if isinstance(each, str) else "row" for each in log]
    batches = [["begin_transaction", *["row"] * n, "commit_transaction"] for n in (150, 150, 100)]
    assert kinds == ["init_transactions", *batches[0], *batches[1], *batches[2]]


def test_a_refused_row_ends_the_run_and_aborts_its_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(refused=170)
    with pytest.raises(SinkError, match=r"after 150 rows: the Kafka broker refused a row: too large\."):
        run(client, monkeypatch, transactional_id="mine")
    assert client.log[-1] == "abort_transaction"
    assert client.log.count("commit_transaction") == 1


class SilentClient(Client):
    """Stands for one whose broker never answers."""

    def __init__(self, room: int) -> None:
        super().__init__(room)
        self.waits = threading.Event()
        self.until = time.monotonic() + SECONDS / 4

    def poll(self, seconds: float) -> None:
        if len(self.waiting) == self.room:
            self.flush(seconds)

    def flush(self, seconds: float = SECONDS) -> int:
        self.waits.set()
        time.sleep(min(seconds, 1.0))
        assert time.monotonic() < self.until, "the sink waits for the broker all the same"
        return len(self.waiting)


@pytest.mark.parametrize("room", [50, 1000])
def test_a_run_that_waits_for_the_broker_is_cancelled(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    client = SilentClient(room)
    monkeypatch.setattr(kafka, "Producer", client)
    sink = streambench.KafkaSink("b:1", "out", batch_rows=150, transactional_id="mine")
    run = streambench.Pipeline([source(400), numbered, sink]).start(workers=1, pin=False)
    assert client.waits.wait(SECONDS)
    run.cancel()
    with pytest.raises(StreambenchError, match="cancelled"):
        run.result()
    assert client.log == ["init_transactions", "begin_transaction", "abort_transaction"]
    assert client.waiting == []


class SlowClient(Client):
    """Stands for one whose broker does not answer ``lasts`` times when it is asked to commit."""

    def __init__(self, lasts: int) -> None:
        super().__init__(1000)
        self.lasts = lasts
        self.waits = threading.Event()

    def commit_transaction(self, seconds: float | None = None) -> None:
        assert seconds is not None, "nothing interrupts this call"
        if self.lasts:
            self.lasts -= 1
            self.waits.set()
            time.sleep(min(seconds, 0.01))
            raise kafka.KafkaException(kafka.KafkaError(kafka.KafkaError._TIMED_OUT))
        self.log.append("commit_transaction")


def test_a_commit_is_waited_for_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    log = run(SlowClient(5), monkeypatch, transactional_id="mine")
    assert log.count("commit_transaction") == 3
    assert "abort_transaction" not in log


def test_a_run_that_waits_for_a_commit_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    client = SlowClient(1 << 40)
    monkeypatch.setattr(kafka, "Producer", client)
    sink = streambench.KafkaSink("b:1", "out", batch_rows=150, transactional_id="mine")
    run = streambench.Pipeline([source(400), numbered, sink]).start(workers=1, pin=False)
    assert client.waits.wait(SECONDS)
    run.cancel()
    with pytest.raises(StreambenchError, match="cancelled"):
        run.result(SECONDS)
    assert [each for each in client.log if isinstance(each, str)] == ["init_transactions", "begin_transaction"]


def test_settings_that_the_client_refuses_are_refused_before_the_run() -> None:
    sink = streambench.KafkaSink("b:1", "out", settings={"nonsense": 1})
    with pytest.raises(
        OptionError, match=r"Kafka's client refuses the settings \(No such .*nonsense.*\): correct them"
    ):
        streambench.Pipeline([source(1), numbered, sink]).run()


def test_json_has_times_bytes_and_no_nan() -> None:
    batch = pa.record_batch(
        {
            "t": pa.array([0, None], pa.timestamp("s")),
            "b": pa.array([b"\x01\xff", None], pa.binary(2)),
            "f": [float("nan"), 0.5],
            "s": ["ä", None],
        }
    )
    moment = datetime.datetime(1970, 1, 1).isoformat()
    assert [json.loads(each) for each in json_rows(batch)] == [
        {"t": moment, "b": "01ff", "f": None, "s": "ä"},
        {"t": None, "b": None, "f": 0.5, "s": None},
    ]


def test_nobody_there_is_told_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streambench.sinks.kafka_sink.REACH_SECONDS", 0.1)
    with pytest.raises(StreambenchError, match=r"the Kafka topic out at 127\.0\.0\.1:1 cannot be written to"):
        streambench.Pipeline([source(1), numbered, streambench.KafkaSink("127.0.0.1:1", "out")]).run()


def topic_of(brokers: str, topic: str) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": brokers})  # whose end is that of what it is asked
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(SECONDS)


@pytest.mark.slow
def test_the_pages_program_computes_revenue_from_a_topic_to_parquet(brokers: str, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    sales = pa.table(
        {
            "ts": pa.array(np.sort(random.integers(0, 600_000, 3000)), pa.timestamp("ms")),
            "country": random.choice(["DE", "FR", "AT"], 3000),
            "price": random.integers(1, 100, 3000) / 4,
        }
    )
    topic_of(brokers, "sales")
    streambench.Pipeline([sales, streambench.KafkaSink(brokers, "sales")]).run()
    assert len([each for each in PROGRAM.read_text().splitlines() if each]) <= 15
    subprocess.run([sys.executable, str(PROGRAM), brokers, "sales", str(tmp_path), "3000"], check=True, timeout=120)
    found = pq.read_table(tmp_path).to_pandas()
    frame = sales.to_pandas().assign(start=lambda rows: rows.ts.dt.floor("min"))
    expected = frame.groupby(["start", "country"]).price.sum()
    assert found.set_index(["start", "country"]).revenue.sort_index().equals(expected.rename("revenue").sort_index())
    assert found.end.is_monotonic_increasing


@pytest.mark.slow
@pytest.mark.parametrize("transactional_id", [None, "mine"])
def test_a_broker_has_the_plain_runs_rows(brokers: str, transactional_id: str | None) -> None:
    topic = f"out-{transactional_id}"
    topic_of(brokers, topic)
    sink = streambench.KafkaSink(brokers, topic, transactional_id=transactional_id, batch_rows=150)
    streambench.Pipeline([source(400), numbered, sink]).run(workers=2)
    expected = plain(400)[0]
    feed = streambench.KafkaFeed(brokers, topic, expected.schema)  # without an end: transactions' marks have offsets
    rows: list[pa.RecordBatch] = []
    with streambench.Pipeline([streambench.ArrowSource(feed, nulls={"user": -1})]).stream(batch_seconds=0.1) as stream:
        while sum(map(len, rows)) < 400:
            rows.append(next(stream))
    assert pa.Table.from_batches(rows).equals(expected)


@pytest.mark.slow
def test_a_broker_has_each_row_once_after_runs_that_went_on(
    brokers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a topic to a topic, ended by faults; a further run with the same name begins anew."""
    from confluent_kafka.admin import AdminClient, NewTopic

    write_at_once(monkeypatch)
    topics = [NewTopic(name, 1, 1) for name in ("numbers", "once", "again")]
    admin = AdminClient({"bootstrap.servers": brokers})  # whose end is that of what it is asked
    for each in admin.create_topics(topics).values():
        each.result(SECONDS)
    rows = pa.table({"number": range(400), "text": [f"t{k % 7}" for k in range(400)]})
    streambench.Pipeline([rows, streambench.KafkaSink(brokers, "numbers")]).run()
    for topic in ("once", "again"):
        for at in (130, 290, None):
            feed = streambench.KafkaFeed(brokers, "numbers", rows.schema, end=400)
            sink = streambench.KafkaSink(brokers, topic, transactional_id="one", batch_rows=30, batch_seconds=None)
            saved_run([feed, fault(at), sink], tmp_path / topic, fails=at is not None, unit=25, workers=2)
        read: list[pa.RecordBatch] = []
        feed = streambench.KafkaFeed(brokers, topic, rows.schema)
        with streambench.Pipeline([feed]).stream(batch_seconds=0.1) as stream:
            while sum(map(len, read)) < 400:
                read.append(next(stream))
            time.sleep(0.5)
        assert stream.run.output_tuples == 400
        assert pa.Table.from_batches(read).equals(rows)


KILLED = """
import sys, streambench

brokers, state, rows, workers = sys.argv[1:]
sink = streambench.KafkaSink(brokers, "killed", transactional_id="killed", batch_rows=40, batch_seconds=0.01)
made = streambench.Pipeline([streambench.ArrowSource(rows, time="ts"), sink])
result = made.run(checkpoint=state, every="20ms", workers=int(workers), unit=20, rate=8000, pin=False)
print(result.checkpoints["begun_at"])
"""


@pytest.mark.slow
def test_a_topic_has_each_row_once_after_kills(brokers: str, tmp_path: Path) -> None:
    """Killed at any moment, amid transactions too; each further run has other workers. Tansu shows readers the
    transaction that a killed producer left open, which Kafka aborts: so one for each kill may be there before it is
    there for good.
    """
    topic_of(brokers, "killed")
    rows = pa.table({"ts": range(8000), "text": [f"t{k % 7}" for k in range(8000)]})
    pq.write_table(rows, tmp_path / "rows.parquet")
    draw, state = random.Random(3), tmp_path / "state"

    def saved() -> int:
        """The row of the last checkpoint."""
        return max((int(each.stem.rpartition("-")[2]) for each in state.glob("checkpoint-*.state")), default=0)

    for kill in (True, True, True, False):
        words = [brokers, str(state), str(tmp_path / "rows.parquet"), str(draw.choice((1, 2, 4)))]
        process = subprocess.Popen([sys.executable, "-c", KILLED, *words], stdout=subprocess.PIPE, text=True)
        if kill:
            before = saved()
            while saved() == before and process.poll() is None:
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.2))
            process.kill()
        told, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == (-9 if kill else 0)
    assert 0 < int(told) < 8000
    found: list[int] = []
    feed = streambench.KafkaFeed(brokers, "killed", rows.schema)
    with streambench.Pipeline([feed]).stream(batch_seconds=0.1) as stream:
        while found[-1:] != [7999]:
            found += next(stream)["ts"].to_pylist()
        time.sleep(0.5)
    assert stream.run.output_tuples == len(found)
    assert len(found) - 8000 in (0, 40, 80, 120)
    last = {row: place for place, row in enumerate(found)}
    assert list(last) == list(range(8000))
    assert [row for place, row in enumerate(found) if last[row] == place] == list(range(8000))
