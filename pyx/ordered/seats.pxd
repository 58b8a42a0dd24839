"""Where workers may run."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.parking cimport Parking
from streambench.pyx.machine.run_queue cimport RunQueues

cdef extern from "core_sets.h":
    cppclass Cores "streambench::Cores":
        pass

    Cores allowed_cores "streambench::allowed_cores"() noexcept nogil
    int this_thread "streambench::this_thread"() noexcept nogil
    # Core -1: all of them. What the system does not allow is left as it is.
    void seat "streambench::seat"(int thread, int core, const Cores& all_cores) noexcept nogil

cdef class Seats:
    cdef tuple cores
    cdef int workers
    cdef Cores allowed
    cdef PaddedCounter* threads         # by worker; 0: it is not running
    cdef PaddedCounter* own             # core
    cdef readonly bint bound            # under admission's lock
    cdef PaddedCounter* moving          # the same for all to see: 1 where workers may move
    cdef PaddedCounter* resting         # by worker; 0: it is to work. The least number of others is back first: as the
                                        # how manyth it was told to rest, from 1; below 0 if it had not waited
    cdef int at_rest                    # how many are to rest, under admission's lock
    cdef int64_t told                   # to rest, ever
    cdef Parking* parking               # where workers rest
    cdef void sit(self, int number) noexcept nogil
    cdef void leave(self, int number) noexcept nogil
    cdef void bind(self, bint bound) noexcept nogil
    cdef void let_rest(self, int number, RunQueues queues) noexcept nogil
    cdef void rest(self, int number) noexcept nogil

    cdef inline bint may_move(self) noexcept nogil:
        return self.moving.value.load(memory_order_relaxed) != 0       # relaxed: a hint, nothing is read by way of it

    cdef inline bint rests(self, int number) noexcept nogil:
        """Is this worker to rest?"""
        return self.resting[number].value.load(memory_order_seq_cst) != 0      # pairs with `let_rest`
