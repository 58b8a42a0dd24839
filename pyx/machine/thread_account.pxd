"""What the system has counted of the calling thread."""

from libc.stdint cimport int64_t
from posix.resource cimport getrusage, rusage
from posix.time cimport CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec

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
    cdef timespec on_core
    getrusage(RUSAGE_THREAD, &usage)        # neither can fail with these arguments
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on_core)  # not by `usage`: its times are as of the last tick of the system
    found.cpu_ns = on_core.tv_sec * <int64_t>1_000_000_000 + on_core.tv_nsec
    found.voluntary = usage.ru_nvcsw
    found.involuntary = usage.ru_nivcsw
    return found
