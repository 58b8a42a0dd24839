"""What is done to a record's further words of labels, as records.pyx, path.pyx and state.pyx do it to the first."""

from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.front.record_layout cimport Field, drop_field


cdef void lose_label(Pool* pool, Record* record, int64_t label) noexcept nogil:
    """The record has this label no more, if it had; for labels of any word."""
    if has_label(record, label):
        if is_among(&pool.fields, label):
            drop_field(pool, <Field*>record.values[label])
        word_in(record, label >> 6)[0] &= ~(<uint64_t>1 << (label & 63))


cdef bint accepts_further(Pool* pool, Labels* needed, Record* record) noexcept nogil:
    cdef int64_t word
    cdef uint64_t labels, bits
    for word in range(1, pool.further + 1):
        labels, bits = word_in(record, word)[0], needed.further[word - 1]
        if (labels & bits) != bits or (labels & ~bits & pool.binding.further[word - 1]) != 0:
            return False
    return True


cdef bint equal_further(Pool* pool, Labels* labels, Record* record) noexcept nogil:
    cdef int64_t word
    for word in range(1, pool.further + 1):
        if labels.further[word - 1] != word_in(record, word)[0]:
            return False
    return True


cdef void clear_further(Pool* pool, Record* record) noexcept nogil:
    cdef int64_t k
    for k in range(pool.further):
        record.values[k] = 0


cdef void copy_values(uint64_t labels, int64_t word, const int64_t* values, int64_t* to) noexcept nogil:
    cdef int64_t label
    while labels:
        label = 64 * word + lowest_bit(labels)
        labels &= labels - 1
        to[label] = values[label]


cdef void share(Pool* pool, uint64_t labels, int64_t word, int64_t* values) noexcept nogil:
    """One owner more of each field among the ``labels`` of a further word."""
    labels &= pool.fields.further[word - 1]
    while labels:
        (<Field*>values[64 * word + lowest_bit(labels)]).owners.fetch_add(1, memory_order_relaxed)
        labels &= labels - 1


cdef void drop(Pool* pool, uint64_t labels, int64_t word, int64_t* values) noexcept nogil:
    """One owner less."""
    labels &= pool.fields.further[word - 1]
    while labels:
        drop_field(pool, <Field*>values[64 * word + lowest_bit(labels)])
        labels &= labels - 1


cdef void copy_further(Pool* pool, Record* record, Record* copy) noexcept nogil:
    cdef int64_t word
    for word in range(1, pool.further + 1):
        word_in(copy, word)[0] = word_in(record, word)[0]
        copy_values(word_in(copy, word)[0], word, record.values, copy.values)
        share(pool, word_in(copy, word)[0], word, copy.values)


cdef void drop_further(Pool* pool, int64_t* values) noexcept nogil:
    cdef int64_t word
    for word in range(1, pool.further + 1):
        drop(pool, <uint64_t>values[word - 1], word, values)


cdef void hide_further(Pool* pool, Record* record, Hidden* hidden, Labels* kept) noexcept nogil:
    cdef int64_t word
    cdef uint64_t left
    for word in range(1, pool.further + 1):
        left = word_in(record, word)[0] & ~kept.further[word - 1]
        hidden.values[word - 1] = <int64_t>left
        copy_values(left, word, record.values, hidden.values)
        word_in(record, word)[0] &= kept.further[word - 1]


cdef void add_further(Pool* pool, Record* record, const uint64_t* offered, int64_t* values) noexcept nogil:
    """The record gets what it lacks of the labels in the words ``offered``; their ``values`` are shared from now on."""
    cdef int64_t word
    cdef uint64_t more
    for word in range(1, pool.further + 1):
        more = offered[word - 1] & ~word_in(record, word)[0]
        share(pool, more, word, values)
        copy_values(more, word, values, record.values)
        word_in(record, word)[0] |= more


cdef void change_further(Pool* pool, Record* record, Labels* consumed, Labels* produced) noexcept nogil:
    """What a filter consumes goes; what it gives is there, its values are still to come."""
    cdef int64_t word
    cdef uint64_t gone
    for word in range(1, pool.further + 1):
        gone = consumed.further[word - 1] | produced.further[word - 1]
        drop(pool, word_in(record, word)[0] & gone, word, record.values)
        word_in(record, word)[0] = (word_in(record, word)[0] & ~gone) | produced.further[word - 1]
