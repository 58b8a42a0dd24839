"""Which run a thread works for: what such a thread lets go of must not wait for that run to end."""

cdef void* work_for(void* crew) noexcept nogil
