"""What becomes of a program that the system refuses memory.

In somebody else's program nothing ends the process: a run raises MemoryError. The command line asks for an end with one
sentence, as it has nothing else to do and no result has been written yet.
"""

from libc.stdio cimport fprintf, stderr

cdef extern from "<unistd.h>" nogil:
    void _exit(int status) noexcept

cdef extern from * nogil:
    """
    namespace streambench {
    static void set_end(void (*end)()) { std::set_new_handler(end); }
    }
    """
    void set_end "streambench::set_end"(void (*end)() noexcept nogil) noexcept

cdef const char* SENTENCE = "out of memory: use a smaller stream, fewer units in flight or smaller units"
OUT_OF_MEMORY = SENTENCE.decode()


cdef void end() noexcept nogil:
    fprintf(stderr, "streambench: %s\n", SENTENCE)
    _exit(1)            # no unwinding: a worker in the middle of a unit cannot go on


def end_without_memory():
    """From now on this process ends with one sentence, and exit code 1, where C++ code of its own is refused memory.

    For the command line. It sets the process's ``std::new_handler``, so no library may ask for it.
    """
    set_end(end)
