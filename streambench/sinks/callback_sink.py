"""A function as a sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from streambench.errors import OptionError
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.data_types import Nulls, State

if TYPE_CHECKING:
    import pyarrow as pa


class CallbackSink(BatchSink):
    """Calls ``function`` with each ``pyarrow.RecordBatch`` of the output, in order, one call at a time.

    The calling thread is a worker, or the one that looks on. While a call lasts the run waits for it. What the function
    raises ends the run, which raises SinkError from it. ``positions``: it is also given how many rows were in the
    batches before, which a run with checkpoints needs: it gives those behind the last checkpoint again, the same rows,
    and where batches do not depend on time the same batches. Options as of ``BatchSink``. Raises OptionError for what
    cannot be called.
    """

    def __init__(
        self,
        function: Callable[..., object],
        *,
        positions: bool = False,
        batch_rows: int = 65536,
        batch_seconds: float | None = 1.0,
        restore: bool | Mapping[str, str] = True,
        nulls: Nulls = None,
    ) -> None:
        super().__init__(batch_rows, batch_seconds, restore, nulls)
        if not callable(function):
            raise OptionError(f"a CallbackSink calls a function with each batch, and {function!r} cannot be called.")
        self._function, self._positions = function, positions

    def save(self) -> State:
        """Where it is. Raises OptionError for a function that could not tell what it has been given before."""
        if not self._positions:
            raise OptionError(
                "a CallbackSink gives batches again when a run goes on from a checkpoint: let its function take the "
                "number of rows before them, by `positions` True, or leave out `checkpoint`."
            )
        return super().save()

    def write(self, batch: pa.RecordBatch) -> None:
        self._function(batch, *((self.written,) if self._positions else ()))
