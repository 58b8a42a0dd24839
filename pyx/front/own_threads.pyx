"""Which run a thread works for.

A run that nobody listens to any more may be left wherever the last name of it goes: also in a box of its own, or in
whatever the garbage collector is called by. A thread that waited there for the run's end would wait for itself.
"""

cdef extern from *:
    """
    namespace streambench {
    // See yield_points.pyx for the model.
    #if defined(__GLIBC__)
    __attribute__((tls_model("initial-exec")))
    #endif
    inline thread_local void* front_crew_of_thread = nullptr;
    inline void* set_front_crew_of_thread(void* crew) {
        void* before = front_crew_of_thread;
        front_crew_of_thread = crew;
        return before;
    }
    inline void* get_front_crew_of_thread() { return front_crew_of_thread; }
    }
    """
    void* set_crew "streambench::set_front_crew_of_thread"(void* crew) noexcept nogil
    void* get_crew "streambench::get_front_crew_of_thread"() noexcept nogil


cdef void* work_for(void* crew) noexcept nogil:
    """The calling thread works for this crew from now on; NULL: for none. For which it did before."""
    return set_crew(crew)


def works_for(crew) -> bool:
    """Whether the calling thread works for this crew; None: for any."""
    return get_crew() is not NULL if crew is None else get_crew() is <void*>crew
