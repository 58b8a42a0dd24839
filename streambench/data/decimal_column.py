"""Decimals at the border: the runtime holds them as integers, scaled by their type's scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.data.arrow_column import ArrowColumn
from streambench.errors import DataError
from streambench.pyx.tuples.sentinels import with_nulls

WORD = 8  # bytes


class DecimalColumn(ArrowColumn):
    """A column of decimals of at most 18 digits, each an int64: 12.50 of scale 2 is 1250."""

    def values(self, array: pa.Array, first_row: int) -> npt.NDArray[Any]:
        mask = np.asarray(array.is_null()) if array.null_count else None
        return super().values(pa.array(_low_words(array), self.held, mask=mask), first_row)

    def restored(self, array: pa.Array) -> pa.Array:
        if self.sentinel is not None:
            array = with_nulls(array, self.sentinel)
        low = array.fill_null(0).to_numpy()
        most = 10**self.type.precision - 1
        beyond = np.flatnonzero((low < -most) | (low > most))
        if len(beyond):
            raise DataError(
                f"column {self.name} holds {low[beyond[0]]} in row {beyond[0]}, which {self.type} cannot hold: it is "
                "not the source's column, so call it otherwise."
            )
        width = self.type.byte_width
        words = np.empty((len(low), max(width // WORD, 1)), np.int64 if width >= WORD else np.int32)
        words[:, :1] = low[:, None]
        words[:, 1:] = (low >> 63)[:, None]  # the sign
        mask = None if not array.null_count else pa.array(np.asarray(array.is_valid())).buffers()[1]
        return pa.Array.from_buffers(self.type, len(low), [mask, pa.py_buffer(words.tobytes())])


def _low_words(array: pa.Array) -> npt.NDArray[np.int64]:
    """The lowest 64 bits of each decimal, null or not."""
    width = array.type.byte_width
    kind, words = ("<i4", 1) if width < WORD else ("<i8", width // WORD)
    found = np.frombuffer(array.buffers()[1] or b"", kind)[array.offset * words : (array.offset + len(array)) * words]
    return found[::words].astype(np.int64)
