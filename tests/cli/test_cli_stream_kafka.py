"""A Kafka topic as a stream, at a broker that speaks Kafka's protocol: each row once, also over kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import small_data
from click.testing import CliRunner

from streambench.errors import StreambenchError
from streambench.lab.answers import oracle
from streambench.lab.cli import cli
from streambench.lab.data.catalog import Catalog
from streambench.lab.streams import kafka_topic
from streambench.lab.streams.kafka_topic import KafkaReader, Range, Topic

MASTER, TOPIC, PARTITIONS = "local[2]", "clicks", 3
SECONDS = 60.0


class Producer:
    """Writes to a new topic. Tansu counts a batch as one row when it tells where a partition ends: batches of one."""

    def __init__(self, brokers: str, topic: str) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient, NewTopic

        admin = AdminClient({"bootstrap.servers": brokers})
        admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result(SECONDS)
        self.topic, self.sent = topic, 0
        self.client = Producer({"bootstrap.servers": brokers, "batch.num.messages": 1})

    def send(self, values: list[str]) -> None:
        for value in values:
            self.client.produce(self.topic, value.encode(), partition=self.sent % PARTITIONS)
            self.client.poll(0)
            self.sent += 1
        assert self.client.flush(SECONDS) == 0


@pytest.mark.slow
def test_killed_it_goes_on_with_no_row_lost_or_doubled(brokers: str, tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 1, clicks_per_user=20).path
    rows = [json.dumps(row) for row in pq.read_table(data / "web_clickstreams").to_pylist()]
    producer, half, checkpoint = Producer(brokers, TOPIC), len(rows) // 2, tmp_path / "c"
    producer.send([*rows[:half], "no JSON"])
    words = ["spark", "stream", "q4", "--source", "kafka", "--host", brokers, "--topic", TOPIC, "--data", data]
    words = [*map(str, words), "--checkpoint", str(checkpoint), "--master", MASTER, "--buckets", "2"]
    command = [sys.executable, "-m", "streambench", *words, "--trigger", "100ms"]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not list((checkpoint / "spark" / "commits").glob("[0-9]*")):
            assert process.poll() is None
            time.sleep(0.02)
        producer.send(rows[half:])
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    told: Any = CliRunner().invoke(cli, [*words, "--json", "-"])
    assert told.exit_code == 0, (told.output, told.exception)
    found = json.loads(told.stdout)
    assert found["goes_on"]
    assert found["rows"] < len(rows)
    (answer,), (expected,) = found["answer"], oracle.expected(Catalog.open(data), "q4", "paper").to_pylist()
    assert answer == {name: pytest.approx(value, rel=1e-9) for name, value in expected.items()}


@pytest.mark.slow
def test_what_came_after_a_micro_batch_was_planned_is_read_too(brokers: str, tmp_path: Path) -> None:
    """A stream may be killed when the log says how far a micro-batch goes, and before that is done."""
    data = small_data.make(tmp_path / "d", 1, clicks_per_user=20).path
    rows = [json.dumps(row) for row in pq.read_table(data / "web_clickstreams").to_pylist()]
    producer, half, checkpoint = Producer(brokers, "planned"), len(rows) // 2, tmp_path / "c"
    words = ["spark", "stream", "q4", "--source", "kafka", "--host", brokers, "--topic", "planned", "--data", str(data)]
    words += ["--checkpoint", str(checkpoint), "--master", MASTER, "--buckets", "2", "--json", "-"]
    producer.send(rows[:half])
    begun: Any = CliRunner().invoke(cli, words)
    assert begun.exit_code == 0, (begun.output, begun.exception)
    producer.send(rows[half:])
    log = checkpoint / "spark" / "offsets"
    *kept, ends = (log / "0").read_text().split("\n")
    planned = {number: end + 10 for number, end in json.loads(ends).items()}
    (log / "1").write_text("\n".join([*kept, json.dumps(planned)]))
    told: Any = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, (told.output, told.exception)
    found = json.loads(told.stdout)
    (answer,), (expected,) = found["answer"], oracle.expected(Catalog.open(data), "q4", "paper").to_pylist()
    assert found["rows"] == len(rows) - half
    assert answer == {name: pytest.approx(value, rel=1e-9) for name, value in expected.items()}


def test_a_partitions_rows_are_read_between_two_offsets(brokers: str) -> None:
    producer = Producer(brokers, "numbers")
    producer.send([str(k) for k in range(30)])
    topic = Topic(brokers, "numbers")
    assert topic.ends() == ({"0": 0, "1": 0, "2": 0}, {"0": 10, "1": 10, "2": 10})
    values = [value for batch in topic.values(1, 4, 10) for value in batch.column(0).to_pylist()]
    assert values == [str(3 * k + 1).encode() for k in range(4, 10)]


def test_rows_of_transactions_are_read_once_wherever_a_range_ends(brokers: str) -> None:
    """Each transaction ends with a mark, which takes an offset and is no row; the second one is aborted."""
    Producer(brokers, "transactions")
    words = {"bootstrap.servers": brokers, "transactional.id": "t", "batch.num.messages": 1}
    client = pytest.importorskip("confluent_kafka").Producer(words)
    client.init_transactions(SECONDS)
    for number in range(3):
        client.begin_transaction()
        for row in range(4):
            client.produce("transactions", f"{number} {row}".encode(), partition=0)
        (client.abort_transaction if number == 1 else client.commit_transaction)(SECONDS)
    topic = Topic(brokers, "transactions")
    end = topic.ends()[1]["0"]
    committed = [f"{number} {row}".encode() for number in (0, 2) for row in range(4)]
    for cut in (0, 3, 4, 5, 6, end):
        parts = [topic.values(0, *each) for each in ((0, cut), (cut, end))]
        assert [value for part in parts for batch in part for value in batch.column(0).to_pylist()] == committed


def test_a_topic_that_is_not_there_is_named(brokers: str) -> None:
    with pytest.raises(StreambenchError, match=rf"^the Kafka broker at {brokers} has no topic nothing\.$"):
        Topic(brokers, "nothing").ends()


class Told(Topic):
    """A topic whose partition 0 begins at row 5, 1 at row 0."""

    def ends(self) -> tuple[dict[str, int], dict[str, int]]:
        return {"0": 5, "1": 0}, {"0": 9, "1": 3}


def test_what_a_micro_batch_has_to_read() -> None:
    reader = KafkaReader(Told("b", "t"))
    assert reader.initialOffset() == {"0": 5, "1": 0}
    assert reader.latestOffset() == {"0": 9, "1": 3}
    assert reader.partitions({"0": 9}, {"0": 9, "1": 3}) == [Range(1, 0, 3)]  # 1 was added to the topic
    assert reader.partitions({"0": 4, "1": 3}, {"0": 4, "1": 3}) == []
    with pytest.raises(StreambenchError, match="rows 3 to 4 of partition 0 of the Kafka topic t were never read"):
        reader.partitions({"0": 3, "1": 0}, {"0": 9, "1": 0})
    with pytest.raises(StreambenchError, match="partition 1 of the Kafka topic t ends at row 3, and 7 have"):
        reader.partitions({"0": 9, "1": 7}, {"0": 9, "1": 3})


def test_without_kafkas_client_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_topic, "find_spec", lambda name: None)
    with pytest.raises(StreambenchError, match=r"pip install 'streambench\[kafka\]'"):
        kafka_topic.require_client()
