"""The numbers from 1 on that are free: each thread has some of its own, batches of them pass
through a stack that all share.

What the numbers stand for stays where it is, whoever has them (type-stable memory): one that reads it too late reads
something else, nothing worse. Numbers are first taken in ascending order: memory that is numbered so and never touched
before its number is taken grows with the most numbers that are in use at a time.
"""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.atomic cimport atomic

cdef enum:
    BATCH = 32

cdef extern from "number_pool.h":
    cppclass OwnNumbers "streambench::OwnNumbers" nogil:
        uint32_t n
        uint32_t numbers[64]                # 2 * BATCH
    cppclass NumberStack "streambench::NumberStack" nogil:
        atomic[uint64_t] top
    cppclass UnusedNumbers "streambench::UnusedNumbers" nogil:
        atomic[uint64_t] first
    cppclass NumberLinks "streambench::NumberLinks" nogil:
        atomic[uint32_t] below
        atomic[uint32_t] rest
    cppclass NumberPool "streambench::NumberPool" nogil:
        NumberStack stack
        UnusedNumbers unused
        uint32_t n
        NumberLinks* links

cdef NumberPool* new_number_pool(uint32_t n) except NULL
cdef void delete_number_pool(NumberPool* pool) noexcept nogil
cdef bint refill(NumberPool* pool, OwnNumbers* own) noexcept nogil
cdef void spill(NumberPool* pool, OwnNumbers* own) noexcept nogil
cdef uint32_t ever_taken(NumberPool* pool) noexcept nogil

cdef inline uint32_t take(NumberPool* pool, OwnNumbers* own) noexcept nogil:
    """A free number, 0 where there is none: up to 2 * BATCH may be in each other thread's hands."""
    if own.n == 0 and not refill(pool, own):
        return 0
    own.n -= 1
    return own.numbers[own.n]

cdef inline void give(NumberPool* pool, OwnNumbers* own, uint32_t number) noexcept nogil:
    if own.n == 2 * BATCH:
        spill(pool, own)
    own.numbers[own.n] = number
    own.n += 1
