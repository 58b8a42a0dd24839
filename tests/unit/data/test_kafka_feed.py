"""Rows of a partition come once, in order, from where and to where they are asked for; the client is made up.

A real broker is in tests/unit/sinks/test_kafka_sink.py.
"""

from __future__ import annotations

import decimal
import threading
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streambench
from streambench.data.json_batch import json_batch
from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.table_source import NOT_YET
from streambench.sinks.kafka_sink import json_rows

kafka = pytest.importorskip("confluent_kafka", reason="Kafka's client is not installed")
SCHEMA = pa.schema([("n", pa.int64()), ("t", pa.timestamp("s")), ("s", pa.string())])


class Log:
    """Stands for the client: a row at each of ``offsets`` below ``end``, ``at_once`` of them a call."""

    def __init__(self, offsets: list[int], end: int, at_once: int = 3, value: Any = b'{"n": %d}') -> None:
        self.offsets, self.end, self.at_once, self.value = offsets, end, at_once, value
        self.place, self.closed = 0, False

    def __call__(self, settings: dict[str, Any]) -> Log:
        return self

    def assign(self, partitions: list[Any]) -> None:
        self.place = partitions[0].offset

    @staticmethod
    def list_topics(timeout: float) -> Any:
        return SimpleNamespace(topics={"in": SimpleNamespace(partitions={0: None})})

    def consume(self, most: int, seconds: float) -> list[Any]:
        found = [each for each in self.offsets if each >= self.place][: self.at_once]
        self.place = found[-1] + 1 if len(found) == self.at_once else self.end
        given = [self.message(None, k, self.value and self.value % k) for k in found]
        if len(found) < self.at_once:
            given.append(self.message(SimpleNamespace(code=lambda: kafka.KafkaError._PARTITION_EOF), self.end, None))
        return given

    @staticmethod
    def message(problem: Any, offset: int, value: Any) -> Any:
        return SimpleNamespace(error=lambda: problem, offset=lambda: offset, value=lambda: value)

    def close(self) -> None:
        self.closed = True


def read(log: Log, **how: Any) -> list[Any]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(kafka, "Consumer", log)
        source = streambench.ArrowSource(streambench.KafkaFeed("b:1", "in", SCHEMA, **how), nulls={"n": -1, "t": -1})
        rows = [row["n"] for batch in streambench.Pipeline([source]).stream(workers=1) for row in batch.to_pylist()]
    assert log.closed
    return rows


@settings(max_examples=30)
@given(st.data())
def test_rows_from_the_beginning_to_before_the_end_come_once(data: st.DataObject) -> None:
    last = data.draw(st.integers(0, 30))
    offsets = sorted(data.draw(st.sets(st.integers(0, 30), max_size=20)))
    begin, end = data.draw(st.integers(0, 30)), data.draw(st.integers(0, last))
    log = Log([each for each in offsets if each < last], last, data.draw(st.integers(1, 4)))
    assert read(log, begin=begin, end=end) == [each for each in log.offsets if begin <= each < end]


def test_json_objects_become_rows_of_the_schema() -> None:
    values = [b'{"s": "a", "n": 3, "more": 1}', b'{"t": "1970-01-01 00:00:07",\n"n": null}', b"{}"]
    found = json_batch(values, SCHEMA)
    assert found.schema == SCHEMA
    assert found.cast(pa.schema([("n", pa.int64()), ("t", pa.int64()), ("s", pa.string())])).to_pylist() == [
        {"n": 3, "t": None, "s": "a"},
        {"n": None, "t": 7, "s": None},
        {"n": None, "t": None, "s": None},
    ]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_kafka_sinks_rows_become_what_they_were(unit: str) -> None:
    step = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    nanos = [0, 10**9, 1_500_000_000, 1_467_000_000, 1_000_001_000, 1_000_000_001, 10**18, -(10**9)]
    times = pa.array([each // step for each in nanos] + [None], pa.timestamp(unit))
    columns = {"t": times, "day": pa.array([*range(8), None], pa.date32())}
    columns["price"] = pa.array([None, *map(decimal.Decimal, range(8))], pa.decimal128(5, 2))
    batch = pa.record_batch(columns)
    assert json_batch(json_rows(batch), batch.schema).equals(batch)
    assert json_batch([b'{"day": 3}'], pa.schema({"day": pa.date32()}))["day"].cast(pa.int32()).to_pylist() == [3]


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (
            b"no row %d",
            "partition 0 of the Kafka topic in has what is no row among the 3 before offset 3: message 1 of 3 is",
        ),
        (b'{"n" %d}', "has what is no row among the 3 before offset 3: JSON parse"),
        (b'{"n": "%d"}', "has what is no row among the 3"),
        (None, "has no value at offset 0"),
    ],
)
def test_what_is_no_row_ends_the_run(value: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        read(Log([0, 1, 2, 3], 4, value=value), end=4)


@pytest.mark.parametrize("value", [b"null", b"", b" ", b"[1]", b'{"n":2}{"n":3}', b'{"n":2} null', b'{"n":2'])
@pytest.mark.parametrize("before", [0, 2])
def test_a_message_that_is_not_one_object_is_named(value: bytes, before: int) -> None:
    with pytest.raises(DataError, match=rf"^message {before + 1} of {before + 2} is not one JSON object: b'"):
        json_batch([b"{}"] * before + [value, b'{"n": 1}'], SCHEMA)


def test_a_client_that_is_left_amid_the_topic_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log([*range(1000)], 1000)
    closed = threading.Event()
    monkeypatch.setattr(log, "close", closed.set)
    monkeypatch.setattr(kafka, "Consumer", log)
    feed = streambench.KafkaFeed("b:1", "in", SCHEMA, batches_ahead=1)
    batches = feed.batches()
    while next(batches) is NOT_YET:
        pass
    feed.close()
    assert closed.wait(60)


def test_settings_that_the_client_refuses_end_the_run() -> None:
    feed = streambench.KafkaFeed("b:1", "in", SCHEMA, settings={"nonsense": 1})
    with pytest.raises(DataError, match=r"Kafka's client refuses the settings \(No such .*nonsense.*\): correct them"):
        list(streambench.Pipeline([feed]).stream())


def test_what_the_broker_refuses_ends_the_run() -> None:
    log = Log([], 0)
    problem = kafka.KafkaError(kafka.KafkaError.UNKNOWN_TOPIC_OR_PART, "there is none")
    log.consume = lambda most, seconds: [log.message(problem, 0, None)]  # type: ignore[method-assign]
    with pytest.raises(DataError, match="partition 0 of the Kafka topic in cannot be read: there is none"):
        read(log)


def test_a_topic_that_is_not_there_and_nobody_at_all_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="there is no partition 3 of the Kafka topic in"):
        read(Log([], 0), partition=3)
    monkeypatch.setattr("streambench.data.kafka_feed.REACH_SECONDS", 0.1)
    feed = streambench.KafkaFeed("127.0.0.1:1", "in", SCHEMA)
    with pytest.raises(DataError, match="partition 0 of the Kafka topic in cannot be read"):
        list(streambench.Pipeline([feed]).stream())


@pytest.mark.parametrize("begin", [-1, "begin", True, 1.5])
def test_a_beginning_that_is_none_is_refused(begin: Any) -> None:
    with pytest.raises(OptionError, match=r"`?begin`? must be an offset"):
        streambench.KafkaFeed("b:1", "in", SCHEMA, begin=begin)
