"""What a record of a network is in memory: a value for each label of the program, and a bit that
says whether the record has it.

The bits of the first 64 labels are a word, which is all that programs have with 62 labels or less. The others' are in
further words (further_labels.pxd), which stand where the values of the first labels would.

A value is a tag's integer or a field's address. Fields are shared by the records that have them, and counted; the
object in one is Python's, which is let go of where the GIL is held.
"""

from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acq_rel
from libcpp.vector cimport vector
from streambench.pyx.machine.memory cimport append

cdef enum:
    MOST_FREE = 4096                    # records in a worker's pool
    # The first labels after the words:
    REST = 0                            # a field: a dict of what the program has no label for; nobody asks for it
    FOREIGN = 1                         # a binding tag that the program does not know: so nobody takes the record

cdef extern from "record_layout.h":
    cppclass Field "streambench::FrontField" nogil:
        atomic[int64_t] owners
        void* object
        void* data
        int64_t length
        char kind
        bint single
        double number
        int64_t integer
    struct Labels "streambench::FrontLabels":
        uint64_t first
        const uint64_t* further
    cppclass Hidden "streambench::FrontHidden" nogil:
        atomic[int64_t] owners
        Hidden* outer
        uint64_t labels
        int64_t* values
    cppclass Sequence "streambench::FrontSequence" nogil:
        int64_t number
        atomic[int64_t] alive
        Sequence* outer
        void* collector
    cppclass Record "streambench::FrontRecord" nogil:
        atomic[Record*] next
        Hidden* hidden
        Sequence* sequence
        uint64_t labels
        int64_t ends
        int64_t* values

    Record* new_front_record "streambench::new_front_record"(int64_t labels) noexcept nogil
    void delete_front_record "streambench::delete_front_record"(Record* record) noexcept nogil
    Field* new_front_field "streambench::new_front_field"(void* object) noexcept nogil
    void delete_front_field "streambench::delete_front_field"(Field* field) noexcept nogil
    void free_front_data "streambench::free_front_data"(void* data) noexcept nogil
    Hidden* new_front_hidden "streambench::new_front_hidden"(int64_t labels) noexcept nogil
    void delete_front_hidden "streambench::delete_front_hidden"(Hidden* hidden) noexcept nogil
    Sequence* new_front_sequence "streambench::new_front_sequence"() noexcept nogil
    void delete_front_sequence "streambench::delete_front_sequence"(Sequence* sequence) noexcept nogil
    int lowest_bit "streambench::lowest_bit"(uint64_t bits) noexcept nogil

    cppclass Pool "streambench::FrontPool" nogil:
        int64_t labels
        int64_t further
        Labels fields
        Labels binding
        Record* free
        int64_t count
        int64_t most_free
        vector[void*]* dead
        atomic[int64_t] moving
    Pool* new_pools "streambench::new_front_pools"(int n) except +
    void delete_pools "streambench::delete_front_pools"(Pool* pools) noexcept
    void count_moving "streambench::count_moving"(Pool* pool, int64_t more) noexcept nogil

cdef inline void drop_field(Pool* pool, Field* field) noexcept nogil:
    """One owner less."""
    if field.owners.fetch_sub(1, memory_order_acq_rel) == 1:    # the last sees what the others did
        if field.object is NULL:
            free_front_data(field.data)
        else:
            append(pool.dead[0], field.object)
        delete_front_field(field)
