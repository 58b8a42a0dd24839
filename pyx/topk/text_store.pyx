"""The texts of items that are counted by a hash of theirs."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy
from cython.operator cimport dereference
from libcpp.vector cimport vector
from streambench.pyx.state.flat_map cimport unordered_flat_map

cdef struct Text:
    int64_t begin                       # in `stored`
    int64_t size
    bint shared                         # another text has had the same hash since this one came

ctypedef unordered_flat_map[uint64_t, Text] Texts


cdef uint64_t hash_text(const uint8_t* text, int64_t size) noexcept nogil:
    """64 bits, the same in every process and version: they are in files.

    Eight bytes at a time, each time mixed by steps that can be undone: texts of one size that differ in one word
    only never have the same hash.
    """
    cdef uint64_t hash = <uint64_t>size, word
    cdef int64_t at = 0
    while at < size:
        word = 0
        memcpy(&word, text + at, min(<int64_t>8, size - at))
        hash = (hash ^ word) * <uint64_t>0x9E3779B97F4A7C15
        hash ^= hash >> 29
        hash *= <uint64_t>0xBF58476D1CE4E5B9
        hash ^= hash >> 32
        at += 8
    return hash


cdef class TextStore:
    """Texts by their hashes: each one that has come since they were last forgotten. Used by one thread at a time.

    Where two texts have the same hash the first one stays, and is `shared` from then on: no count of
    that hash is one text's alone.
    """

    cdef Texts texts
    cdef vector[uint8_t] stored         # all texts, one after the other

    def __len__(self):
        return self.texts.size()

    @property
    def size(self) -> int:
        """Bytes of all texts."""
        return self.stored.size()

    def take(self, const int64_t[::1] offsets, const uint8_t[::1] data):
        """The hashes of texts that lie one after the other, text k from ``offsets[k]`` to
        ``offsets[k + 1]`` of ``data``."""
        cdef int64_t n = offsets.shape[0] - 1, k
        hashes = np.empty(n, np.uint64)
        cdef uint64_t[::1] out = hashes
        cdef const uint8_t* begin = &data[0] if data.shape[0] > 0 else NULL
        with nogil:
            for k in range(n):
                self.take_one(begin + offsets[k], offsets[k + 1] - offsets[k], &out[k])
        return hashes

    cdef int take_one(self, const uint8_t* text, int64_t size, uint64_t* out) except -1 nogil:
        cdef uint64_t hash = hash_text(text, size)
        cdef int64_t begin = self.stored.size()
        cdef Texts.iterator entry = self.texts.find(hash)
        cdef Text* known
        if entry == self.texts.end():
            self.stored.insert(self.stored.end(), text, text + size)    # first: either may be refused memory
            self.texts[hash] = Text(begin, size, False)
        else:
            known = &dereference(entry).second
            if known.size != size or (size > 0 and memcmp(self.stored.data() + known.begin, text, size) != 0):
                known.shared = True
        out[0] = hash
        return 0

    def find(self, const uint8_t[::1] text not None):
        """The text's hash, and whether it is the hash of another text that is here."""
        cdef const uint8_t* begin = &text[0] if text.shape[0] > 0 else NULL
        cdef int64_t size = text.shape[0]
        cdef uint64_t hash = hash_text(begin, size)
        cdef Texts.iterator entry = self.texts.find(hash)
        if entry == self.texts.end():
            return hash, False
        return hash, dereference(entry).second.size != size or (
            size > 0 and memcmp(self.stored.data() + dereference(entry).second.begin, begin, size) != 0)

    def texts_of(self, const uint64_t[::1] hashes):
        """The texts of these hashes, as offsets and data, and which are shared. Raises KeyError
        for a hash that has none."""
        cdef int64_t n = hashes.shape[0], k
        cdef Texts.iterator entry
        offsets, shared = np.zeros(n + 1, np.int64), np.zeros(n, np.bool_)
        cdef int64_t[::1] to_offsets = offsets
        cdef uint8_t[::1] to_shared = shared.view(np.uint8)
        for k in range(n):
            entry = self.texts.find(hashes[k])
            if entry == self.texts.end():
                raise KeyError(hashes[k])
            to_offsets[k + 1] = to_offsets[k] + dereference(entry).second.size
            to_shared[k] = dereference(entry).second.shared
        data = np.empty(offsets[n], np.uint8)
        cdef uint8_t[::1] to_data = data
        for k in range(n):
            entry = self.texts.find(hashes[k])
            if dereference(entry).second.size > 0:
                memcpy(&to_data[to_offsets[k]], self.stored.data() + dereference(entry).second.begin,
                       dereference(entry).second.size)
        return offsets, data, shared

    def forget_but(self, const uint64_t[::1] hashes):
        """Forget all texts but those of these hashes, of which each is here."""
        cdef vector[Text] kept
        cdef vector[uint8_t] stored
        cdef const uint8_t* begin
        cdef int64_t k, n = hashes.shape[0]
        for k in range(n):
            kept.push_back(self.texts[hashes[k]])
            begin = self.stored.data() + kept[k].begin
            kept[k].begin = stored.size()
            stored.insert(stored.end(), begin, begin + kept[k].size)
        self.texts.clear()
        for k in range(n):
            self.texts[hashes[k]] = kept[k]
        self.stored.swap(stored)
