"""Puts outputs back in order under one lock."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.schemes.reorder_buffer cimport ReorderBuffer

# libcpp's mutex may throw, which would make Cython take the GIL around it; none of these does if used as here.
cdef extern from "locked_counter.h":
    cppclass mutex "std::mutex" nogil:
        void lock() noexcept
        bint try_lock() noexcept

    cppclass HeldLock "streambench::HeldLock" nogil:
        mutex* lock
        void release() noexcept

    cppclass LockedCounter "streambench::LockedCounter" nogil:
        LockedCounter() except +
        mutex lock
        atomic[int64_t] next

cdef class LockBasedReorderBuffer(ReorderBuffer):
    cdef LockedCounter* locked          # next: serial number of the next output to send; written only under the lock
    cdef void** slots                   # slots[t & mask]: output t if next is in (t - size, t], or NULL; under the lock
    cdef void enter(self, HeldLock* held) noexcept nogil
    cdef void leave(self, HeldLock* held) noexcept nogil
    cdef void wait_for_lock(self) noexcept nogil
