"""What a task does: its partition's rows through a slice of the pipeline, in replay order, by the ordered runtime."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench.data.side_by_side import SideBySide
from streambench.datagen.problems import require_seen
from streambench.errors import StreambenchError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.cluster import split
from streambench.lab.cluster.plan import Piece, Plan, arrow_schema, source
from streambench.lab.cluster.ranges import Owned, Range, inner, without
from streambench.lab.data import replay_order
from streambench.lab.data.catalog import TableFiles
from streambench.lab.data.streamed import Group, Opened
from streambench.parquet_file import read_metadata
from streambench.pyx.tuples.table_sink import TableSink
from streambench.queries import query as queries
from streambench.queries.cut import Shuffle
from streambench.version import __version__

READ_AHEAD = 4
PLACE_BITS = 40  # of the rows that a task emits
FINISHED = -1  # in the place of a window: an answer, not rows
Block = tuple[split.Key, bytes]


@dataclass(frozen=True)
class Answer:
    """Of a last partition. ``emitted``: its output sequence, where it is wanted and is not the answer itself."""

    answer: pa.Table
    emitted: pa.Table | None

    def widened(self) -> Answer:
        """With integers as in SQL; they travel as narrow as operators have them."""
        return Answer(_widened(self.answer), None if self.emitted is None else _widened(self.emitted))


@dataclass(frozen=True)
class Look:
    """Whether one of the ``files`` of a table is in replay order, as ``replay_order.look`` sees it."""

    files: TableFiles
    version: str = __version__

    def __call__(self, file: Path) -> replay_order.FileOrder:
        require_version(self.version)
        require_seen(file)
        return replay_order.look(self.files, file)


@dataclass(frozen=True)
class Task:
    """A stage between two shuffles, of a ``plan`` that Spark has broadcast; the first is in front of shuffle 0.

    ``tally``: accumulators for what was sent and how long it took, or None.
    """

    plan: Any
    stage: int
    tally: Any = None

    def __call__(self, partition: int, inputs: Iterable[Any]) -> Iterator[Any]:
        plan: Plan = self.plan.value
        require_version(plan.version)
        begun = time.process_time()
        for output in self._made(plan, partition, inputs):
            if self.tally is not None and not isinstance(output, Answer):
                self.tally.sent.add(len(output[1]))
            yield output
        if self.tally is not None:
            self.tally.seconds.add(time.process_time() - begun)

    def _made(self, plan: Plan, partition: int, inputs: Iterable[Any]) -> Iterator[Any]:
        shuffles = plan.cut().shuffles
        if self.stage == 0 and plan.ranged:
            for owner in inputs:
                yield from _of_range(plan, owner)
            return
        if self.stage == 0 and not plan.bucketed:
            for piece in inputs:  # by row groups, as no operator here holds state
                yield from _sent(plan, 0, _rows(plan, 0, 0, _read(plan, [piece])), piece.place)
            return
        first, last = self.stage, max(self.stage, 1)  # of a bucket the stages on both sides of the first shuffle
        batches: Iterable[Any]
        finished: list[pa.Table] = []
        if self.stage == 0:
            batches = _read(plan, list(inputs))
        else:
            schema = arrow_schema(plan.schemas[first])
            finished, blocks = _without_finished(inputs)
            batches = (split.arrays(block, schema) for _, block in blocks)
        if last < len(shuffles):
            yield from _sent(plan, last, _rows(plan, first, last, batches), partition << PLACE_BITS)
        else:
            answer = _answer(plan, first, last, batches)
            yield replace(answer, answer=pa.concat_tables([*finished, answer.answer])) if finished else answer


def require_version(driver: str) -> None:
    """Raise StreambenchError, which the driver tells, where this executor has another version."""
    if driver != __version__:
        raise StreambenchError(
            f"the executor on {socket.gethostname()} has streambench {__version__} and the driver {driver}: install "
            "the same on both, or ship it with `streambench spark bundle`."
        )


def _read(plan: Plan, pieces: list[Piece]) -> SideBySide:
    schema = plan.schemas[0]
    names, types = [name for name, _ in schema], [kind for _, kind in schema]
    table = queries.find(plan.query).table
    groups = (
        Group(table, Opened(each.file, read_metadata(each.file)), each.number, each.first_row).opened(names, types)
        for each in pieces
    )
    return SideBySide(groups, READ_AHEAD * plan.workers)


def _slice(plan: Plan, first: int, last: int, batches: Any, keep: bool) -> tuple[list[Any], Pipeline]:
    """All operators, and the pipeline of those from behind shuffle ``first - 1`` to before shuffle ``last``, run."""
    operators = plan.operators()
    ends = [0, *(each.after for each in plan.cut().shuffles), len(operators)]
    pipeline = Pipeline(
        [source(batches, plan.schemas[first]), *operators[ends[first] : ends[last + 1]], TableSink(keep)]
    )
    execute(pipeline, Options(workers=plan.workers, pin=False, read_ahead=READ_AHEAD))
    return operators, pipeline


def _rows(plan: Plan, first: int, last: int, batches: Any) -> dict[str, Any]:
    _, pipeline = _slice(plan, first, last, batches, keep=True)
    columns = pipeline.sink.to_arrow().columns
    names = [name for name, _ in pipeline.operators[-2].schema]
    return {name: each.to_numpy() for name, each in zip(names, columns, strict=True)}


def _sent(plan: Plan, number: int, rows: dict[str, Any], place: int) -> Iterator[Block]:
    shuffle: Shuffle = plan.cut().shuffles[number]
    for key, block in split.blocks(shuffle, rows, place, plan.partitions):
        yield key, split.as_bytes(block)


def _of_range(plan: Plan, owner: Range) -> Iterator[Block]:
    """The windows that nobody else has, with their end, and what the others need of the first and the last one."""
    first, second = plan.cut().shuffles
    column = [name for name, _ in plan.schemas[0]].index(first.key[0])
    rows = _rows(plan, 0, 1, Owned(_read(plan, list(owner.pieces)), column, owner))
    assert second.window is not None
    whole = inner(rows[second.window])
    if whole.start < whole.stop:
        answer = _answer(plan, 2, 2, [tuple(values[whole] for values in rows.values())])
        yield (owner.number % plan.partitions, FINISHED, owner.number), _ipc(answer.answer)
    place = owner.number << PLACE_BITS
    for some in without(rows, whole):
        yield from _sent(plan, 1, some, place)
        place += len(some[second.window])


def _without_finished(inputs: Iterable[Any]) -> tuple[list[pa.Table], Iterable[Any]]:
    """The answers among what a partition is given, which come first, and the rest."""
    tables: list[pa.Table] = []
    rest = iter(inputs)
    for key, block in rest:
        if key[1] != FINISHED:
            return tables, chain([(key, block)], rest)
        tables.append(pa.ipc.open_stream(block).read_all())
    return tables, rest


def _ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _answer(plan: Plan, first: int, last: int, batches: Any) -> Answer:
    query = queries.find(plan.query)
    parameters = query.parameters[plan.parameter_set]
    keep = not query.answer_from_state or plan.cut().sequence is not None
    operators, pipeline = _slice(plan, first, last, batches, keep)
    emitted = None
    if keep:
        output = pipeline.sink.to_arrow()
        emitted = pa.table(dict(zip(query.emitted, output.columns, strict=True)))
        if query.answer is queries.emitted_answer:
            return Answer(emitted.select(list(query.answer_columns)), None)
        emitted = _widened(emitted)
    answer = query.answer(operators, emitted, parameters).select(list(query.answer_columns))
    return Answer(answer, emitted)


def _widened(table: pa.Table) -> pa.Table:
    wide = [(each.name, pa.int64() if pa.types.is_integer(each.type) else each.type) for each in table.schema]
    return table.cast(pa.schema(wide))
