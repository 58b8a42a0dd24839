"""Rows of a partition whose offsets have holes, as transactions' marks and compaction leave them: each is read once.

The log is made up, as no broker that runs here compacts; a broker with transactions is in tests/cli.
"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streambench.lab.streams.kafka_topic import KafkaReader, Range, Topic

kafka = pytest.importorskip("confluent_kafka", reason="Kafka's client is not installed")

END_OF_PARTITION = kafka.KafkaError._PARTITION_EOF


class Log:
    """Stands for the client: rows at some of the offsets below ``end``, given from the assigned one on."""

    def __init__(self, offsets: list[int], end: int) -> None:
        self.offsets, self.end, self.place = offsets, end, 0

    def __call__(self, settings: dict[str, Any]) -> Log:
        return self

    def assign(self, partitions: list[Any]) -> None:
        self.place = partitions[0].offset

    def consume(self, most: int, seconds: float) -> list[Any]:
        found = [each for each in self.offsets if each >= self.place][:most]
        self.place = found[-1] + 1 if len(found) == most else self.end
        given = [SimpleNamespace(error=lambda: None, offset=lambda k=k: k, value=lambda k=k: b"%d" % k) for k in found]
        if len(found) < most:
            told = SimpleNamespace(code=lambda: END_OF_PARTITION)
            given.append(SimpleNamespace(error=lambda: told, offset=lambda: self.end, value=lambda: b"no row"))
        return given

    def close(self) -> None:
        pass


def read(log: Log, monkeypatch: pytest.MonkeyPatch, *cuts: int) -> list[list[int]]:
    """The offsets that are read between any two of ``cuts``, as micro-batches would."""
    monkeypatch.setattr(kafka, "Consumer", log)
    reader = KafkaReader(Topic("b", "t"))
    monkeypatch.setattr(Topic, "ends", lambda topic: ({"0": 0}, {"0": log.end}))
    found = []
    for begin, end in pairwise(cuts):
        parts = reader.partitions({"0": begin}, {"0": end})
        assert parts == [Range(0, begin, end)]
        found.append([int(value.as_py()) for part in parts for batch in reader.read(part) for value in batch.column(0)])
    return found


def test_a_row_behind_a_transactions_mark_is_left_to_the_next_range(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log([*range(2000), *range(2001, 4001)], 4002)  # marks at 2000 and 4001
    assert read(log, monkeypatch, 0, 2001, 4002) == [[*range(2000)], [*range(2001, 4001)]]


def test_a_range_of_nothing_but_a_hole_has_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log([0, 9], 10)
    assert read(log, monkeypatch, 0, 1, 5, 10) == [[0], [], [9]]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_each_row_is_in_the_range_of_its_offset(data: st.DataObject) -> None:
    end = data.draw(st.integers(1, 30))
    offsets = sorted(data.draw(st.sets(st.integers(0, end - 1))))
    cuts = sorted({0, end, *data.draw(st.sets(st.integers(0, end)))})
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = read(Log(offsets, end), monkeypatch, *cuts)
    assert found == [[each for each in offsets if begin <= each < stop] for begin, stop in pairwise(cuts)]
