"""A partition of a Kafka topic as a feed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.data.feed import Feed
from streambench.data.json_batch import Decoder, json_batch
from streambench.errors import DataError, OptionError
from streambench.extras import require
from streambench.pyx.tuples.data_types import State

REACH_SECONDS = 10.0
LOOK_SECONDS = 0.1
AT_ONCE = 8192
"""Rows that are taken from the client together, at most."""


class KafkaFeed(Feed):
    """The committed rows of one ``partition`` of ``topic`` at ``brokers`` (HOST:PORT, with commas), in their order.

    ``schema``: of the batches that ``batch_of`` makes of the messages. ``begin``: the first offset, or ``earliest`` or
    ``latest``. ``end``: the stream ends before this offset; None: never. ``settings``: further ones of librdkafka. No
    offsets are committed. Several partitions are several feeds, which a ``GateSource`` brings into one order.

    Raises MissingExtraError where the client is not installed, OptionError for options that cannot be met; the run
    raises DataError for messages that are no rows, and where the brokers cannot be read.
    """

    def __init__(
        self,
        brokers: str,
        topic: str,
        schema: pa.Schema,
        *,
        partition: int = 0,
        begin: int | str = "earliest",
        end: int | None = None,
        batch_of: Decoder = json_batch,
        settings: Mapping[str, str | int | float | bool] | None = None,
        batches_ahead: int = 4,
    ) -> None:
        require("KafkaFeed", "confluent_kafka")
        if isinstance(begin, bool) or not (begin in ("earliest", "latest") or (isinstance(begin, int) and begin >= 0)):
            raise OptionError(f"`begin` must be an offset, earliest or latest, not {begin!r}.")
        self._topic, self._partition, self._begin, self._end = topic, partition, begin, end
        self._batch_of = batch_of
        told = {"bootstrap.servers": brokers, "group.id": "streambench", "enable.auto.commit": False, "log_level": 0}
        told |= {"isolation.level": "read_committed", "enable.partition.eof": True, "auto.offset.reset": "error"}
        self._settings: dict[str, Any] = {**told, **(settings or {})}
        self._skipped = 0  # rows of the first batch that a run before has had
        self._batches_begin: list[tuple[int, int]] = []  # the row and the offset with which they begin
        self._row = 0
        super().__init__(self._rows(), schema, batches_ahead=batches_ahead)

    @property
    def returns(self) -> bool:
        return True

    def position(self, row: int) -> State:
        """The offset at which the row's batch begins, and how many rows of that are before it. Raises OptionError for
        a feed that begins with the latest message: that is another one each time."""
        begin = self._batches_begin
        while len(begin) > 1 and begin[1][0] <= row:
            begin.pop(0)
        if begin:
            return {"row": np.array([row]), "offset": np.array([begin[0][1], row - begin[0][0]])}
        if self._begin == "latest":
            raise OptionError("a KafkaFeed with checkpoints begins at an offset, or earliest, not latest: say which.")
        offset = self._begin if isinstance(self._begin, int) else -1
        return {"row": np.array([row]), "offset": np.array([offset, self._skipped])}

    def seek(self, position: State) -> None:
        offset, self._skipped = position["offset"].tolist()
        self._begin = self._begin if offset < 0 else offset
        self._row = int(position["row"][0]) - self._skipped

    def _rows(self) -> Iterator[pa.RecordBatch]:
        from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaException, TopicPartition

        first = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}.get(str(self._begin), self._begin)
        try:
            reader = Consumer(self._settings)
        except KafkaException as problem:
            raise DataError(
                f"Kafka's client refuses the settings ({problem.args[0].str()}): correct them."
            ) from problem
        try:
            topic = reader.list_topics(timeout=REACH_SECONDS).topics.get(
                self._topic
            )  # of all: asked for one, it is made
            if topic is None or self._partition not in topic.partitions:
                raise DataError(f"there is no {self._what}: make it, or name another.")
            reader.assign([TopicPartition(self._topic, self._partition, int(first))])
            ended = self._end == 0
            while not ended and not self._channel.wait_to_be_left(0):
                values, offsets, ended = self._taken(reader.consume(AT_ONCE, LOOK_SECONDS))
                if values:
                    batch = self._decoded(values, offsets[-1])
                    self._batches_begin.append((self._row, offsets[0]))
                    self._row += batch.num_rows
                    skipped = min(self._skipped, batch.num_rows)
                    self._skipped -= skipped
                    yield batch.slice(skipped)
        except KafkaException as problem:
            raise DataError(f"{self._what} cannot be read: {problem.args[0].str()}.") from problem
        finally:
            reader.close()

    def _taken(self, messages: Sequence[Any]) -> tuple[list[bytes], list[int], bool]:
        """The rows before the end, their offsets, and whether the end has come."""
        from confluent_kafka import KafkaError, KafkaException

        values: list[bytes] = []
        places: list[int] = []
        for each in messages:
            problem = each.error()
            if problem is not None and problem.code() != KafkaError._PARTITION_EOF:
                raise KafkaException(problem)
            offset = each.offset()
            if problem is None and (self._end is None or offset < self._end):
                if each.value() is None:
                    raise DataError(f"{self._what} has no value at offset {offset}.")
                values.append(each.value())
                places.append(offset)
            if self._end is not None and offset >= self._end - (problem is None):
                return values, places, True
        return values, places, False

    def _decoded(self, values: list[bytes], last: int) -> pa.RecordBatch:
        try:
            return self._batch_of(values, self.schema)
        except Exception as problem:  # whatever the decoder raises
            reason = " ".join(str(problem).split()).rstrip(".")
            raise DataError(
                f"{self._what} has what is no row among the {len(values)} before offset {last + 1}: {reason}."
            ) from problem

    @property
    def _what(self) -> str:
        return f"partition {self._partition} of the Kafka topic {self._topic}"
