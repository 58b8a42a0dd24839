"""What is done with records (record_layout.pxd)."""

from libc.stdint cimport int64_t, uint64_t
from streambench.pyx.front.record_layout cimport (
    FOREIGN, MOST_FREE, REST, Field, Hidden, Labels, Pool, Record, Sequence, count_moving, delete_front_field,
    delete_front_hidden,
    delete_front_record, delete_front_sequence, delete_pools, drop_field, free_front_data, lowest_bit, new_front_field,
    new_front_hidden, new_front_record, new_front_sequence, new_pools,
)

cdef Record* take_record(Pool* pool) noexcept nogil
cdef void give_record(Pool* pool, Record* record) noexcept nogil
cdef Record* copy_of(Pool* pool, Record* record) noexcept nogil
cdef void drop_values(Pool* pool, uint64_t labels, int64_t* values) noexcept nogil
cdef void drop_all(Pool* pool, uint64_t labels, int64_t* values) noexcept nogil
cdef void share_values(Pool* pool, uint64_t labels, int64_t* values) noexcept nogil
cdef void hide(Pool* pool, Record* record, Labels* kept) noexcept nogil
cdef void restore(Pool* pool, Record* record) noexcept nogil
cdef void drop_hidden(Pool* pool, Hidden* hidden) noexcept nogil
cdef void empty_pool(Pool* pool) noexcept nogil
