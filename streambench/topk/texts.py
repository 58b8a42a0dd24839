"""Texts as items: counted by a hash, shown as what they are."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as is_

from streambench.pyx.topk.text_store import TextStore


class Texts:
    """The texts of items, large_string or large_binary, by the 64 bits that they are counted by. For any threads."""

    def __init__(self, type: pa.DataType) -> None:
        self.type = type
        self._store = TextStore()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._store)

    def bits_of(self, array: pa.Array) -> npt.NDArray[np.uint64]:
        """The bits of these texts, which are known from now on. ``array`` has no nulls, and may be of a
        dictionary.
        """
        if is_.is_dictionary(array.type):
            return np.asarray(self.bits_of(array.dictionary)[array.indices.to_numpy()])
        if len(array) == 0:
            return np.zeros(0, np.uint64)
        _, offsets, data = array.buffers()
        with self._lock:
            return self._store.take(
                np.frombuffer(offsets, np.int64, len(array) + 1, array.offset * 8),
                np.frombuffer(data or b"", np.uint8),
            )

    def find(self, text: str | bytes) -> tuple[int, bool]:
        """The text's bits, and whether another text that is known has the same."""
        with self._lock:
            return self._store.find(text.encode() if isinstance(text, str) else text)

    def texts_of(self, bits: npt.NDArray[np.uint64]) -> tuple[pa.Array, npt.NDArray[np.bool_]]:
        """The texts, and of which the bits have been met with another text, too."""
        with self._lock:
            offsets, data, shared = self._store.texts_of(bits)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(self.type, len(bits), buffers), shared

    def forget_but(self, bits: npt.NDArray[np.uint64]) -> None:
        """Forget all others; in a moment in which nobody counts."""
        with self._lock:
            self._store.forget_but(bits)
