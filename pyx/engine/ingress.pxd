"""The start of a pipeline: admission in order, bounded by credit."""

from libc.stdint cimport int64_t
from streambench.pyx.engine.arrival cimport Schedule
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.tuples.operator cimport Source
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.tuples.unit cimport Unit

cdef class Ingress:
    cdef Source source
    cdef Egress egress
    cdef Unit* units                    # slot serial & mask: the unit is there from admission
                                        # until the sink is done with it
    cdef int64_t mask                   # credit - 1: never more units in flight than slots
    cdef PaddedCounter* allowed         # and just now no more than this; read by all, written under the lock
    cdef int64_t unit_size
    cdef PaddedCounter* lock            # guards all below
    cdef PaddedCounter* next_serial
    cdef PaddedCounter* ended           # 1: nothing more will be admitted
    cdef PaddedCounter* position        # ingress tuples admitted
    cdef PaddedCounter* saturated       # 1: the last unit was as large as it may be, with more behind it
    cdef int64_t total                  # length of the stream, very large where it is not known
    cdef double rate                    # tuples per second of an open loop, 0 for as fast as possible
    cdef int64_t started                # ns
    cdef Schedule schedule              # when the tuples of the open loop come
    cdef object kept                    # the array that holds its times
    cdef bint try_lock(self) noexcept nogil
    cdef void unlock(self) noexcept nogil
    cdef bint has_credit(self) noexcept nogil
    cdef Unit* next_unit(self) noexcept nogil
    cdef void lend_memory(self, Unit* unit, int64_t serial) noexcept nogil
    cdef bint is_too_little(self) noexcept nogil
    cdef int64_t admit(self, Unit* unit, int64_t at_most) noexcept nogil
    cdef void fill(self, Unit* unit) noexcept nogil
    cdef void begin_whole(self) noexcept nogil
    cdef void end_whole(self) noexcept nogil
    cdef void note_saturation(self, int64_t n) noexcept nogil
    cdef int64_t arrived(self) noexcept nogil
    cdef int64_t there(self) noexcept nogil
    cdef int64_t there_soon(self, int64_t patience) noexcept nogil
    cdef int64_t waiting(self) noexcept nogil
    cdef int64_t until_due(self) noexcept nogil
    cdef bint finished(self) noexcept nogil
