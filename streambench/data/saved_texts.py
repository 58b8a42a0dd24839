"""The values that have codes, as arrays, and back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.text_codes import TextCodes

TEXT, BYTES, INTEGER = range(3)


class SavedTexts:
    """Of ``codes``, which only ever grow: each value is encoded once, however often they are saved."""

    def __init__(self, codes: TextCodes) -> None:
        self._codes = codes
        self._kinds, self._ends, self._text = bytearray(), [0], bytearray()

    def arrays(self) -> State:
        """Of each value its kind and where its bytes end."""
        for value in self._codes.values[len(self._kinds) :]:
            self._kinds.append(TEXT if isinstance(value, str) else BYTES if isinstance(value, bytes) else INTEGER)
            self._text += value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")
            self._ends.append(len(self._text))
        return {
            "kinds": np.frombuffer(bytes(self._kinds), np.uint8),
            "ends": np.array(self._ends),
            "text": np.frombuffer(bytes(self._text), np.uint8),
        }


def texts_of(saved: State) -> list[str | bytes | int]:
    """The values, by their codes."""
    text, ends = saved["text"].tobytes(), saved["ends"].tolist()
    values: list[str | bytes | int] = []
    for kind, (begin, end) in zip(saved["kinds"].tolist(), pairwise(ends), strict=True):
        value = text[begin:end]
        values.append(value if kind == BYTES else value.decode(errors="surrogatepass") if kind == TEXT else int(value))
    return values
