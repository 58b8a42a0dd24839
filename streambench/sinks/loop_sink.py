"""The sink whose batches a loop takes, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from streambench.data.channel import Channel
from streambench.errors import StreambenchError
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.data_types import Nulls
from streambench.pyx.tuples.whole_number import whole_number

if TYPE_CHECKING:
    import pyarrow as pa


class LoopSink(BatchSink):
    """``batches_ahead``: batches that may wait for the loop; then the run waits. Other options as of ``BatchSink``."""

    def __init__(
        self,
        batches_ahead: int = 2,
        *,
        batch_rows: int = 65536,
        batch_seconds: float | None = 1.0,
        restore: bool | Mapping[str, str] = True,
        nulls: Nulls = None,
    ) -> None:
        super().__init__(batch_rows, batch_seconds, restore, nulls)
        self.batches: Channel[pa.RecordBatch] = Channel(whole_number("batches_ahead", batches_ahead, 1))

    def write(self, batch: pa.RecordBatch) -> None:
        if not self.batches.put(batch, threading.main_thread().is_alive) and not threading.main_thread().is_alive():
            raise StreambenchError("the program ends, and nobody takes the output any more.")

    def has_room(self) -> bool:
        return self.batches.has_room

    def finish(self) -> None:
        self.batches.end()

    def abandon(self) -> None:
        self.batches.end()

    def interrupt(self) -> None:
        self.batches.leave()
