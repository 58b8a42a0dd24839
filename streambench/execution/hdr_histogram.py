"""HdrHistogram: counts of whole numbers to three significant digits, and its V2 text, for tools in many languages.

A number's bucket is its power of two beyond 11 bits; within a bucket the leading 11 bits tell it apart. The text is the
base64 of a header and of a compressed payload: a header again, then the counts up to that of the largest number, each a
ZigZag LEB128 number, and of several empty ones in a row a single negative number, how many they are (G. Tene,
"HdrHistogram", hdrhistogram.org; that a number's ninth byte has eight bits matters from 2**55 on, to no count here).
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

DIGITS = 3
HALF = 10  # bits of a bucket's upper half, which is all that buckets but the first have
HEADER, PAYLOAD = struct.Struct(">II"), struct.Struct(">IIIIQQd")
COMPRESSED_COOKIE, COOKIE = 0x1C849314, 0x1C849313
SHIFTS = np.arange(0, 56, 7)  # of a LEB128 number's bytes

Integers = npt.NDArray[np.int64]


class HdrHistogram(NamedTuple):
    """How often each of ``indices``, ascending, was counted; ``highest``: what readers make room for, at least."""

    indices: Integers
    counts: Integers
    highest: int

    @classmethod
    def of(cls, values: Integers, highest: int) -> HdrHistogram:
        """Of numbers from 0 up, one at least; where one of them is greater than ``highest`` there is more room."""
        bucket = np.maximum(np.frexp(values.astype(float))[1] - (HALF + 1), 0).astype(np.int64)
        indices, counts = np.unique((bucket << HALF) + (values >> bucket), return_counts=True)
        return cls(indices, counts.astype(np.int64), max(highest, int(values.max())))

    @classmethod
    def read(cls, text: str) -> HdrHistogram:
        """Of a text. Raises ValueError for one that is no V2 text of three digits, from 1 up."""
        whole = base64.b64decode(text)
        cookie, length = HEADER.unpack_from(whole)
        payload = zlib.decompress(whole[HEADER.size : HEADER.size + length])
        inner, words, offset, digits, lowest, highest, _ = PAYLOAD.unpack_from(payload)
        if (cookie, inner, offset, digits, lowest) != (COMPRESSED_COOKIE, COOKIE, 0, DIGITS, 1):
            raise ValueError("this is no HdrHistogram of three digits in its V2 format")
        numbers = _unpacked(payload[PAYLOAD.size : PAYLOAD.size + words])
        steps = np.where(numbers < 0, -numbers, 1)
        counted = numbers > 0
        return cls((np.cumsum(steps) - steps)[counted], numbers[counted], highest)

    def text(self) -> str:
        """The V2 text."""
        empty = np.diff(self.indices, prepend=-1) - 1  # before each that was counted
        numbers = np.stack([-empty, self.counts], axis=1).ravel()
        words = _packed(numbers[numbers != 0])
        payload = PAYLOAD.pack(COOKIE, len(words), 0, DIGITS, 1, self.highest, 1.0) + words
        compressed = zlib.compress(payload)
        return base64.b64encode(HEADER.pack(COMPRESSED_COOKIE, len(compressed)) + compressed).decode()

    def plus(self, other: HdrHistogram) -> HdrHistogram:
        """Both together."""
        indices, place = np.unique(np.concatenate([self.indices, other.indices]), return_inverse=True)
        counts = np.zeros(len(indices), np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return HdrHistogram(indices, counts, max(self.highest, other.highest))

    def value_at(self, share: float) -> int:
        """The greatest number that counts as the one at or below which this ``share`` of all lies."""
        below = np.cumsum(self.counts)
        rank = max(1, int(share * int(below[-1]) + 0.5))  # as the format's own tools have it
        index = int(self.indices[np.searchsorted(below, rank)])
        bucket = max(0, (index >> HALF) - 1)
        return ((index - (bucket << HALF) + 1) << bucket) - 1


def _packed(numbers: Integers) -> bytes:
    """ZigZag LEB128 numbers."""
    shifted = ((numbers << 1) ^ (numbers >> 63))[:, None] >> SHIFTS
    more = shifted[:, 1:] > 0
    length = 1 + more.sum(axis=1)
    groups = shifted & 0x7F
    groups[:, :-1] |= more * 0x80
    packed: bytes = groups[np.arange(len(SHIFTS)) < length[:, None]].astype(np.uint8).tobytes()
    return packed


def _unpacked(words: bytes) -> Integers:
    """The same back again."""
    values = np.frombuffer(words, np.uint8).astype(np.int64)
    if len(values) == 0:
        return values
    begins = np.concatenate([[0], np.flatnonzero(values < 0x80)[:-1] + 1])
    within = np.arange(len(values)) - np.repeat(begins, np.diff(begins, append=len(values)))
    zigzag = np.add.reduceat((values & 0x7F) << (7 * within), begins)
    numbers: Integers = (zigzag >> 1) ^ -(zigzag & 1)
    return numbers
