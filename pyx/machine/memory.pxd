"""Memory that the system may refuse: by MemoryError under the GIL, by std::bad_alloc in a worker.

A worker has no Python exceptions. What is declared ``noexcept nogil`` here lets std::bad_alloc pass: it unwinds the
worker up to its crew, which stops the others and raises MemoryError. (A function that is declared ``except +`` must not
allocate in a worker: in a ``noexcept`` caller Cython prints the exception and goes on as if nothing had happened.)
"""

from libcpp.vector cimport vector

cdef extern from * namespace "streambench" nogil:
    """
    #include <cstdlib>
    #include <new>
    #include <vector>
    namespace streambench {
    // As `operator new` does: ask the handler that the program has set, and let the caller try again; without one, give up.
    inline void seek_memory() {
        std::new_handler handler = std::get_new_handler();
        if (handler == nullptr)
            throw std::bad_alloc();
        handler();
    }
    inline void* enlarge(void* memory, size_t size) {
        void* larger;
        while ((larger = std::realloc(memory, size)) == nullptr)
            seek_memory();
        return larger;
    }
    // False: the body was refused memory, and was left where it stood.
    inline bool has_memory(void (*body)(void*), void* argument) {
        try {
            body(argument);
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }
    template <class T> inline std::vector<T>* new_vector() { return new std::vector<T>(); }
    template <class T> inline void append(std::vector<T>& items, const T& item) { items.push_back(item); }
    template <class T> inline void lengthen(std::vector<T>& items, size_t n) { items.resize(n); }
    }
    """
    void seek_memory() noexcept
    void* enlarge(void* memory, size_t size) noexcept
    bint has_memory(void (*body)(void*) noexcept nogil, void* argument) noexcept
    vector[T]* new_vector[T]() noexcept
    void append[T](vector[T]& items, const T& item) noexcept
    void lengthen[T](vector[T]& items, size_t n) noexcept
