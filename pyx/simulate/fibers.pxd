"""Workers that one thread runs by turns, each with a stack of its own.

A switch is a call that returns in another fiber: six registers on x86-64 Linux, where events take some tens of
nanoseconds by that; elsewhere what POSIX has for it, which asks the system twice.
"""

cdef extern from "fibers.h":
    cppclass Fiber "streambench::Fiber" nogil:
        pass

    Fiber* new_fibers "streambench::new_fibers"(int n) except +
    void delete_fibers "streambench::delete_fibers"(Fiber* fibers, int n) noexcept nogil
    # The calling thread's own stack is a fiber that was never begun.
    void begin_fiber "streambench::begin_fiber"(Fiber* fiber, void (*body)(void*) noexcept nogil,
                                                void* argument) except +
    void switch_fiber "streambench::switch_fiber"(Fiber* left, Fiber* entered) noexcept nogil
