"""Which run a thread works for.

A run that nobody listens to any more may be left wherever the last name of it goes: also in a box of its own, or in
whatever the garbage collector is called by. A thread that waited there for the run's end would wait for itself.
"""

cdef extern from "own_threads.h":
    void* set_crew "streambench::set_front_crew_of_thread"(void* crew) noexcept nogil
    void* get_crew "streambench::get_front_crew_of_thread"() noexcept nogil


cdef void* work_for(void* crew) noexcept nogil:
    """The calling thread works for this crew from now on; NULL: for none. For which it did before."""
    return set_crew(crew)


def works_for(crew) -> bool:
    """Whether the calling thread works for this crew; None: for any."""
    return get_crew() is not NULL if crew is None else get_crew() is <void*>crew
