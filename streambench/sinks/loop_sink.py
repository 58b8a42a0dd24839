"""The sink whose batches a loop takes, in a thread of its own."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

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
        self._ahead = whole_number("batches_ahead", batches_ahead, 1)
        self._changed = threading.Condition(threading.Lock())  # guards all below
        self._waiting: deque[pa.RecordBatch] = deque()
        self._ended = False  # no more will come
        self._left = False  # nobody takes any more
        self.most_waiting = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Wait for room, then let the loop have the batch; after ``interrupt`` it is dropped."""
        with self._changed:
            self._changed.wait_for(lambda: self._left or len(self._waiting) < self._ahead)
            if not self._left:
                self._waiting.append(batch)
                self.most_waiting = max(self.most_waiting, len(self._waiting))
                self._changed.notify_all()

    def has_room(self) -> bool:
        return self._left or len(self._waiting) < self._ahead

    def take(self) -> pa.RecordBatch | None:
        """The next batch, once there is one; None: no more will come."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            if not self._waiting:
                return None
            self._changed.notify_all()
            return self._waiting.popleft()

    def finish(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def abandon(self) -> None:
        self.finish()

    def interrupt(self) -> None:
        """Nobody takes a batch any more: whoever waits for room goes on."""
        with self._changed:
            self._left = True
            self._waiting.clear()
            self._changed.notify_all()
