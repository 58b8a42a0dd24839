"""Memory that the system may refuse: by MemoryError under the GIL, by std::bad_alloc in a worker.

A worker has no Python exceptions. What is declared ``noexcept nogil`` here lets std::bad_alloc pass: it unwinds the
worker up to its crew, which stops the others and raises MemoryError. (A function that is declared ``except +`` must not
allocate in a worker: in a ``noexcept`` caller Cython prints the exception and goes on as if nothing had happened.)
"""

from libcpp.deque cimport deque
from libcpp.vector cimport vector

cdef extern from "refusable_memory.h" namespace "streambench" nogil:
    void seek_memory() noexcept
    void* enlarge(void* memory, size_t size) noexcept
    bint has_memory(void (*body)(void*) noexcept nogil, void* argument) noexcept
    vector[T]* new_vector[T]() noexcept
    void append[T](vector[T]& items, const T& item) noexcept
    void append[T](deque[T]& items, const T& item) noexcept
    void lengthen[T](vector[T]& items, size_t n) noexcept
