"""Notices two workers where only one may be."""

from libc.stdint cimport int64_t

cdef extern from "probe_guard.h":
    cppclass Guards "probes::Guards" nogil:
        Guards(int64_t n) except +
        void enter(int64_t k) noexcept
        void leave(int64_t k) noexcept
        int64_t violations_now() noexcept
