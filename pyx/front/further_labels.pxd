"""Labels of programs that have more than a word of them.

Word k > 0 of a record's labels, or of what is hidden of it, is where the value of label k - 1 would be;
such labels do not exist. Label n is bit n % 64 of word n / 64. Who has one word only (``further`` of the
pool is 0) comes here for nothing.
"""

from libc.stdint cimport int64_t, uint64_t
from streambench.pyx.front.record_layout cimport Hidden, Labels, Pool, Record, lowest_bit

cdef inline uint64_t word_of(Labels* labels, int64_t word) noexcept nogil:
    return labels.first if word == 0 else labels.further[word - 1]

cdef inline uint64_t* word_in(Record* record, int64_t word) noexcept nogil:
    return &record.labels if word == 0 else <uint64_t*>&record.values[word - 1]

cdef inline bint has_label(Record* record, int64_t label) noexcept nogil:
    return word_in(record, label >> 6)[0] >> (label & 63) & 1

cdef inline void add_label(Record* record, int64_t label) noexcept nogil:
    word_in(record, label >> 6)[0] |= <uint64_t>1 << (label & 63)

cdef inline bint is_among(Labels* labels, int64_t label) noexcept nogil:
    return word_of(labels, label >> 6) >> (label & 63) & 1

cdef inline bint accepts(Pool* pool, Labels* asked, Record* record) noexcept nogil:
    """Whether a record has what is asked, and no binding tag besides."""
    if (record.labels & asked.first) != asked.first or (record.labels & ~asked.first & pool.binding.first) != 0:
        return False
    return pool.further == 0 or accepts_further(pool, asked, record)

cdef void lose_label(Pool* pool, Record* record, int64_t label) noexcept nogil
cdef bint accepts_further(Pool* pool, Labels* asked, Record* record) noexcept nogil
cdef bint equal_further(Pool* pool, Labels* labels, Record* record) noexcept nogil
cdef void clear_further(Pool* pool, Record* record) noexcept nogil
cdef void copy_further(Pool* pool, Record* record, Record* made) noexcept nogil
cdef void drop_further(Pool* pool, int64_t* values) noexcept nogil
cdef void hide_further(Pool* pool, Record* record, Hidden* hidden, Labels* kept) noexcept nogil
cdef void add_further(Pool* pool, Record* record, const uint64_t* offered, int64_t* values) noexcept nogil
cdef void change_further(Pool* pool, Record* record, Labels* consumed, Labels* given) noexcept nogil
