"""To ask for a cache line some time before it is used."""

cdef extern from *:
    # 1 for `for_writing`: the line is wanted for oneself, without another look at it before the write.
    void prefetch "__builtin_prefetch"(const void* line, int for_writing) noexcept nogil
