"""A Kafka topic as a source of Spark's, read by a client of its own: Spark's connector is on Maven only.

Spark keeps the offsets in its checkpoint, by partition of the topic, and asks for the rows between two of them as often
as it needs: no consumer group's offsets are read or written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from streambench.errors import StreambenchError

if TYPE_CHECKING:
    from confluent_kafka import Consumer

NAME = "streambench_kafka"
REACH_SECONDS = 10.0
LOOK_SECONDS, STALLED_SECONDS = 0.2, 60.0
AT_ONCE = 1 << 16
"""Rows that are taken from the client together."""
_SCHEMA = pa.schema([("value", pa.binary())])

Offsets = dict[str, int]
"""The next row to read, by the partition's number."""


def require_client() -> None:
    """Raise StreambenchError where the client is not installed."""
    if find_spec("confluent_kafka") is None:
        raise StreambenchError("Kafka is read by confluent-kafka: type `pip install 'streambench[kafka]'`.")


@dataclass(frozen=True)
class Topic:
    """``name`` at ``brokers``, which are HOST:PORT with commas. Methods raise StreambenchError where nobody answers."""

    brokers: str
    name: str

    def ends(self) -> tuple[Offsets, Offsets]:
        """Where each partition begins and ends now; what an open transaction wrote is not there yet."""
        from confluent_kafka import IsolationLevel, KafkaException, TopicPartition

        admin: Any = import_module("confluent_kafka.admin")  # whose types are not whole
        client = admin.AdminClient(self._settings())
        try:
            # Of all topics: asked for one, a broker may make it.
            metadata = client.list_topics(timeout=REACH_SECONDS).topics.get(self.name)
            if metadata is None or metadata.error is not None or not metadata.partitions:
                raise StreambenchError(f"the Kafka broker at {self.brokers} has no topic {self.name}.")
            offsets = []
            for spec in (admin.OffsetSpec.earliest(), admin.OffsetSpec.latest()):
                queries = {TopicPartition(self.name, number): spec for number in metadata.partitions}
                answers = client.list_offsets(
                    queries, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=REACH_SECONDS
                )
                offsets.append({str(each.partition): answer.result().offset for each, answer in answers.items()})
        except KafkaException as problem:
            raise self._unreached(problem) from problem
        return offsets[0], offsets[1]

    def values(self, number: int, begin: int, end: int) -> Iterator[pa.RecordBatch]:
        """The values of a partition's rows from offset ``begin`` to before ``end``, each once.

        Offsets may have holes: of transactions' marks, and of rows that were compacted away. Behind a hole before
        ``end`` the client gives rows of the next range, which are left to it.
        """
        from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

        settings = {"group.id": NAME, "enable.auto.commit": False, "auto.offset.reset": "error"}
        reader: Consumer = Consumer({**self._settings(), **settings, "enable.partition.eof": True})
        try:
            reader.assign([TopicPartition(self.name, number, begin)])
            place, silent = begin, 0.0
            while place < end:
                # Where offsets have holes the client waits for more rows than there are: not for long.
                messages = reader.consume(min(end - place, AT_ONCE), LOOK_SECONDS)
                silent = 0.0 if messages else silent + LOOK_SECONDS
                if silent >= STALLED_SECONDS:
                    raise StreambenchError(f"{self.brokers} gave no row of {self.name} for {STALLED_SECONDS:.0f} s.")
                values = []
                for each in messages:
                    problem, offset = each.error(), each.offset() or 0
                    if problem is None and offset < end:
                        values.append(each.value())
                    elif problem is not None and problem.code() != KafkaError._PARTITION_EOF:
                        raise KafkaException(problem)
                    place = max(place, offset + (problem is None))
                yield pa.RecordBatch.from_arrays([pa.array(values, pa.binary())], schema=_SCHEMA)
        except KafkaException as problem:
            raise self._unreached(problem) from problem
        finally:
            reader.close()

    def _settings(self) -> dict[str, Any]:
        return {"bootstrap.servers": self.brokers, "log_level": 0}

    def _unreached(self, problem: Exception) -> StreambenchError:
        reason = problem.args[0].str() if problem.args else str(problem)
        return StreambenchError(f"the Kafka topic {self.name} at {self.brokers} cannot be read: {reason}.")


@dataclass
class Range(InputPartition):
    """Rows of a partition for one task."""

    number: int
    begin: int
    end: int


class KafkaReader(DataSourceStreamReader):
    """What Spark asks: where the topic ends now, and the rows between two places."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return dict(self.topic.ends()[0])

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, Any]:  # noqa: N802
        return dict(self.topic.ends()[1])

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[Range]:
        """A task for each partition with new rows; one that was added to the topic is read from its beginning.

        Raises StreambenchError where rows are gone that have not been read.
        """
        ranges = []
        first: Mapping[str, int] = self.topic.ends()[0]
        for number, stop in end.items():
            begin = start.get(number, first.get(number, stop))
            if begin < stop and first.get(number, stop) > begin:
                raise StreambenchError(
                    f"rows {begin:,} to {first.get(number, stop) - 1:,} of partition {number} of the Kafka topic "
                    f"{self.topic.name} were never read, and the broker no longer keeps them."
                )
            if begin > stop:
                raise StreambenchError(
                    f"partition {number} of the Kafka topic {self.topic.name} ends at row {stop:,}, and {begin:,} have "
                    "been read: it is another topic."
                )
            if begin < stop:
                ranges.append(Range(int(number), int(begin), int(stop)))
        return ranges

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        yield from self.topic.values(partition.number, partition.begin, partition.end)


class KafkaSource(DataSource):
    """For ``session.dataSource.register``; options ``brokers`` and ``topic``."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return "value binary"

    def streamReader(self, schema: Any) -> KafkaReader:  # noqa: N802
        return KafkaReader(Topic(self.options["brokers"], self.options["topic"]))
