"""Memory by the page, in huge pages where it is large."""

cdef enum:
    HUGE_PAGE = 1 << 21

cdef void* map_pages(size_t size) noexcept nogil            # in a worker: std::bad_alloc passes, see `memory`
cdef void* map_pages_under_the_gil(size_t size) except NULL
cdef void* reserve_pages(size_t size) except NULL
cdef void prefer_huge_pages(void* memory, size_t size) noexcept nogil
cdef void touch_pages(void* memory, size_t size) noexcept nogil
cdef void unmap_pages(void* memory, size_t size) noexcept nogil
