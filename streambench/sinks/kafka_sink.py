"""A Kafka topic as a sink."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambench.errors import OptionError, StreambenchError
from streambench.extras import require
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.data_types import Nulls, State

if TYPE_CHECKING:
    import pyarrow as pa
    from confluent_kafka import KafkaError, Message

REACH_SECONDS = 10.0
OF_BOTH = ("bootstrap.servers", "log_level", "client.id")
SECURITY = ("security.", "sasl.", "ssl.")
"""Settings that the client has which counts, too."""

LOOK_SECONDS = 0.1
"""How often a batch that waits for the brokers looks whether its run has been cancelled."""


def json_rows(batch: pa.RecordBatch) -> list[bytes]:
    """Each row as a JSON object: times in ISO 8601, bytes as hexadecimal digits, NaN and infinity as null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [
        pc.if_else(pc.is_finite(each), each, pa.scalar(None, each.type)) if pa.types.is_floating(each.type) else each
        for each in batch.columns
    ]
    rows = pa.RecordBatch.from_arrays(columns, names=batch.schema.names).to_pylist()
    return [json.dumps(row, default=_plain, ensure_ascii=False).encode() for row in rows]


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if not hasattr(value, "isoformat"):
        return str(value)
    micros, nanos = getattr(value, "microsecond", 0), getattr(value, "nanosecond", 0)
    if micros and not micros % 1000 and not nanos:  # a reader of milliseconds refuses more digits
        return str(value.isoformat(timespec="milliseconds"))
    return str(value.isoformat())


class KafkaSink(BatchSink):
    """Writes each row of the output as a message to ``topic`` at ``brokers`` (HOST:PORT, with commas).

    ``rows_of`` makes the messages of a batch. All go to one ``partition``, as only within one Kafka keeps an order.
    ``transactional_id``: each batch is a transaction, of which a reader of committed messages sees all rows or none;
    without it a batch that fails may be there in part. No row is there twice either way, within a run. ``settings``:
    further ones of librdkafka. A batch is waited for until the brokers have it. Other options as of ``BatchSink``.

    A run with checkpoints needs a ``transactional_id``: a batch's transaction also commits, as the offset of a consumer
    group called so, how many rows there are. Where the run goes on it leaves out those that are there.

    Rows are Python objects here, as the client takes them one by one. Raises MissingExtraError where the client is not
    installed; before the run, OptionError for settings that the client refuses, and StreambenchError where nobody
    answers.
    """

    def __init__(
        self,
        brokers: str,
        topic: str,
        *,
        partition: int = 0,
        transactional_id: str | None = None,
        rows_of: Callable[[pa.RecordBatch], Iterable[bytes]] = json_rows,
        settings: Mapping[str, str | int | float | bool] | None = None,
        batch_rows: int = 8192,
        batch_seconds: float | None = 1.0,
        restore: bool | Mapping[str, str] = True,
        nulls: Nulls = None,
    ) -> None:
        require("KafkaSink", "confluent_kafka")
        super().__init__(batch_rows, batch_seconds, restore, nulls)
        self._topic, self._partition, self._rows_of = topic, partition, rows_of
        self._transactional_id = transactional_id
        told: dict[str, Any] = {"bootstrap.servers": brokers, "log_level": 0, "enable.idempotence": True}
        if transactional_id is not None:
            told["transactional.id"] = transactional_id
        self._settings = {**told, **(settings or {})}
        self._refused: KafkaError | None = None
        self._client: Any = None  # whose types are not whole
        self._in_transaction = self._interrupted = False
        self._counts = self._goes_on = False
        self._group: Any = None
        self._there = 0  # rows that no transaction need bring

    def checkpointed(self, prefix: Path | None, *, goes_on: bool) -> None:
        """The next run has checkpoints, if ``prefix`` is none; ``goes_on``: it begins at one."""
        self._counts, self._goes_on = prefix is not None, goes_on

    def save(self) -> State:
        """Where it is. Raises OptionError where rows that are there could not be told."""
        if self._transactional_id is None:
            raise OptionError(
                "a KafkaSink writes rows again when a run goes on from a checkpoint: give it a `transactional_id`, or "
                "leave out `checkpoint`."
            )
        return super().save()

    def load(self, saved: State) -> None:
        """Go on behind what has been committed. Raises StreambenchError where the brokers do not say what that is."""
        super().load(saved)
        self._there = self._committed()

    def begin(self, schema: pa.Schema) -> None:
        from confluent_kafka import KafkaException, Producer

        self._refused = None
        self._there = 0
        self._in_transaction = self._interrupted = False
        try:
            self._client = Producer(self._settings)
        except KafkaException as problem:
            reason = problem.args[0].str()
            raise OptionError(f"Kafka's client refuses the `settings` ({reason}): correct them.") from problem
        try:
            told = self._client.list_topics(self._topic, timeout=REACH_SECONDS).topics[self._topic]
            if told.error is not None or self._partition not in told.partitions:
                raise StreambenchError(
                    f"the Kafka broker at {self._settings['bootstrap.servers']} has no partition {self._partition} of "
                    f"a topic {self._topic}: make it."
                )
            if self._transactional_id is not None:
                self._client.init_transactions(REACH_SECONDS)
            if self._counts:
                self._begin_to_count()
        except KafkaException as problem:
            raise StreambenchError(
                f"the Kafka topic {self._topic} at {self._settings['bootstrap.servers']} cannot be written to: "
                f"{problem.args[0].str()}."
            ) from problem

    def write(self, batch: pa.RecordBatch) -> None:
        rows = self.written + batch.num_rows
        batch = batch.slice(min(max(0, self._there - self.written), batch.num_rows))
        if not batch.num_rows:
            return
        if self._transactional_id is not None:
            self._client.begin_transaction()
            self._in_transaction = True
        for value in self._rows_of(batch):
            self._send(value)
        while not self._interrupted and self._client.flush(LOOK_SECONDS):
            pass
        if self._interrupted:
            self._client.purge()
            return
        if self._refused is not None:
            raise StreambenchError(f"the Kafka broker refused a row: {self._refused.str()}.")
        if self._transactional_id is not None:
            if self._counts:
                metadata = self._group.consumer_group_metadata()
                self._client.send_offsets_to_transaction(self._place(rows), metadata, REACH_SECONDS)
            self._commit()

    def _commit(self) -> None:
        """Raises what the client raises. Where the run is cancelled meanwhile the brokers may have the batch or not."""
        from confluent_kafka import KafkaError, KafkaException

        waits = True
        while waits:
            try:
                self._client.commit_transaction(LOOK_SECONDS)
                waits = False
            except KafkaException as problem:
                if problem.args[0].code() != KafkaError._TIMED_OUT:
                    raise
                waits = not self._interrupted
        self._in_transaction = False  # what is being committed cannot be aborted

    def interrupt(self) -> None:
        self._interrupted = True

    def finish(self) -> None:
        self.abandon()  # the transaction under way, if the run has been cancelled

    def abandon(self) -> None:
        client, self._client = self._client, None
        if self._group is not None:
            self._group.close()
            self._group = None
        if self._in_transaction:
            self._in_transaction = False
            client.abort_transaction(REACH_SECONDS)

    def _place(self, rows: int) -> list[Any]:
        from confluent_kafka import TopicPartition

        return [TopicPartition(self._topic, self._partition, rows)]

    def _begin_to_count(self) -> None:
        from confluent_kafka import Consumer

        told = {name: value for name, value in self._settings.items() if name in OF_BOTH or name.startswith(SECURITY)}
        self._group = Consumer({**told, "group.id": self._transactional_id, "enable.auto.commit": False})
        if not self._goes_on:  # the group may be of a run before
            self._group.commit(offsets=self._place(0), asynchronous=False)

    def _committed(self) -> int:
        from confluent_kafka import KafkaException

        try:
            found = self._group.committed(self._place(0), REACH_SECONDS)[0]
            if found.error is not None:
                raise KafkaException(found.error)
        except KafkaException as problem:
            raise StreambenchError(
                f"the Kafka broker at {self._settings['bootstrap.servers']} does not say how many rows it has "
                f"({problem.args[0].str()}): start the run again."
            ) from problem
        return max(0, int(found.offset))

    def _send(self, value: bytes) -> None:
        while not self._interrupted:
            try:
                self._client.produce(self._topic, value, partition=self._partition, on_delivery=self._delivered)
            except BufferError:  # the client's memory is full: wait for the broker
                self._client.poll(LOOK_SECONDS)
            else:
                self._client.poll(0)
                return

    def _delivered(self, problem: KafkaError | None, message: Message) -> None:
        self._refused = self._refused or problem
