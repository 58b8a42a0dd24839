"""Records made, copied, dropped; labels hidden and restored."""

from libcpp.atomic cimport memory_order_acq_rel, memory_order_relaxed
from streambench.pyx.front.further_labels cimport (
    add_further, clear_further, copy_further, drop_further, hide_further,
)

cdef Record* take_record(Pool* pool) noexcept nogil:
    """A record without labels."""
    cdef Record* record = pool.free
    if record is NULL:
        record = new_front_record(pool.labels)
    else:
        pool.free = record.next.load(memory_order_relaxed)          # a pool is one worker's
        pool.count -= 1
    count_moving(pool, 1)
    record.labels = 0
    if pool.further:
        clear_further(pool, record)
    record.ends = 0
    record.hidden = NULL
    record.sequence = NULL
    return record


cdef void give_record(Pool* pool, Record* record) noexcept nogil:
    """The record is empty, its sequence has been told; what it has hidden is dropped here."""
    drop_hidden(pool, record.hidden)
    count_moving(pool, -1)
    if pool.count >= pool.most_free:
        delete_front_record(record)
        return
    record.next.store(pool.free, memory_order_relaxed)
    pool.free = record
    pool.count += 1


cdef Record* copy_of(Pool* pool, Record* record) noexcept nogil:
    """Another record of the same cause, with the same values; counted as alive in its sequence."""
    cdef Record* copy = take_record(pool)
    cdef uint64_t left = record.labels
    cdef int label
    copy.labels = left
    while left:
        label = lowest_bit(left)
        left &= left - 1
        copy.values[label] = record.values[label]
    share_values(pool, copy.labels, copy.values)
    if pool.further:
        copy_further(pool, record, copy)
    copy.hidden = record.hidden
    if copy.hidden is not NULL:
        copy.hidden.owners.fetch_add(1, memory_order_relaxed)       # who shares has one
    copy.sequence = record.sequence
    if copy.sequence is not NULL:
        copy.sequence.alive.fetch_add(1, memory_order_relaxed)
    return copy


cdef void share_values(Pool* pool, uint64_t labels, int64_t* values) noexcept nogil:
    """One owner more of each field among the ``labels``, of the first word."""
    cdef uint64_t left = labels & pool.fields.first
    while left:
        (<Field*>values[lowest_bit(left)]).owners.fetch_add(1, memory_order_relaxed)
        left &= left - 1


cdef void drop_values(Pool* pool, uint64_t labels, int64_t* values) noexcept nogil:
    """One owner less of each field among the ``labels``, of the first word."""
    cdef uint64_t left = labels & pool.fields.first
    while left:
        drop_field(pool, <Field*>values[lowest_bit(left)])
        left &= left - 1


cdef void drop_all(Pool* pool, uint64_t labels, int64_t* values) noexcept nogil:
    """One owner less of each field: of those among the ``labels``, and in further words."""
    drop_values(pool, labels, values)
    if pool.further:
        drop_further(pool, values)


cdef void hide(Pool* pool, Record* record, Labels* kept) noexcept nogil:
    """Only the labels ``kept`` are seen, until `restore`."""
    cdef Hidden* hidden = new_front_hidden(pool.labels)
    cdef uint64_t left = record.labels & ~kept.first
    cdef int label
    hidden.outer = record.hidden
    hidden.labels = left
    while left:
        label = lowest_bit(left)
        left &= left - 1
        hidden.values[label] = record.values[label]
    record.labels &= kept.first
    if pool.further:
        hide_further(pool, record, hidden, kept)
    record.hidden = hidden


cdef void restore(Pool* pool, Record* record) noexcept nogil:
    """What `hide` has hidden is seen again, where the record has no such label of its own."""
    cdef Hidden* hidden = record.hidden
    cdef uint64_t left
    cdef int label
    if hidden is NULL:                  # of what an initialiser gives nothing is hidden
        return
    left = hidden.labels & ~record.labels
    share_values(pool, left, hidden.values)
    record.labels |= left
    while left:
        label = lowest_bit(left)
        left &= left - 1
        record.values[label] = hidden.values[label]
    if pool.further:
        add_further(pool, record, <const uint64_t*>hidden.values, hidden.values)
    record.hidden = hidden.outer
    if record.hidden is not NULL:
        record.hidden.owners.fetch_add(1, memory_order_relaxed)
    drop_hidden(pool, hidden)


cdef void drop_hidden(Pool* pool, Hidden* hidden) noexcept nogil:
    """One owner less; of what nobody has any more the values go, and those around it."""
    cdef Hidden* outer
    while hidden is not NULL and hidden.owners.fetch_sub(1, memory_order_acq_rel) == 1:
        outer = hidden.outer
        drop_all(pool, hidden.labels, hidden.values)
        delete_front_hidden(hidden)
        hidden = outer


cdef void empty_pool(Pool* pool) noexcept nogil:
    """Give all free records back."""
    cdef Record* record
    while pool.free is not NULL:
        record = pool.free
        pool.free = record.next.load(memory_order_relaxed)
        delete_front_record(record)
    pool.count = 0
