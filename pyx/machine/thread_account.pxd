"""What the system has counted of the calling thread."""

from libc.stdint cimport int64_t
from posix.resource cimport getrusage, rusage

cdef extern from *:
    """
    #include <sys/resource.h>
    #ifndef RUSAGE_THREAD                   // not Linux: what is counted is the process's
    #define RUSAGE_THREAD RUSAGE_SELF
    #endif
    """
    int RUSAGE_THREAD

cdef struct ThreadAccount:
    int64_t cpu_ns              # on a core, in user code and in the system
    int64_t voluntary           # switches to another thread: it slept or yielded
    int64_t involuntary         # and: it was made to wait

cdef inline ThreadAccount thread_account() noexcept nogil:
    cdef ThreadAccount found
    cdef rusage usage
    getrusage(RUSAGE_THREAD, &usage)        # cannot fail with these arguments
    found.cpu_ns = ((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * <int64_t>1_000_000_000
                    + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000)
    found.voluntary = usage.ru_nvcsw
    found.involuntary = usage.ru_nivcsw
    return found
