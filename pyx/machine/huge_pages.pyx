"""Memory by the page: zeroed by the system, given back at once, and from 2 MB up in huge pages.

What is touched at random needs a TLB entry for 2 MB then, not for 4 KB. Where the system has no huge pages to give, the
same memory comes in small ones.
"""

from streambench.pyx.machine.memory cimport has_memory, seek_memory

cdef extern from "<sys/mman.h>" nogil:
    enum: PROT_READ
    enum: PROT_WRITE
    enum: MAP_PRIVATE
    enum: MAP_ANONYMOUS
    enum: MAP_NORESERVE
    enum: MADV_HUGEPAGE
    void* MAP_FAILED
    void* mmap(void* address, size_t length, int protection, int flags, int file, long offset)
    int munmap(void* address, size_t length)
    int madvise(void* address, size_t length, int advice)

cdef extern from *:
    """
    #ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23
    #endif
    """
    enum: MADV_POPULATE_WRITE           # a kernel before 5.14 refuses it

cdef char* mapped(size_t size) noexcept nogil:
    cdef void* memory = MAP_FAILED
    while memory == MAP_FAILED:
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if memory == MAP_FAILED:
            seek_memory()
    return <char*>memory


cdef void* map_pages(size_t size) noexcept nogil:
    """Map ``size`` bytes, all 0: whole pages, or a multiple of HUGE_PAGE, aligned to it, for huge ones."""
    cdef char* memory
    cdef size_t before
    if size % HUGE_PAGE:
        return mapped(size)
    memory = mapped(size + HUGE_PAGE)
    before = -<size_t>memory & (HUGE_PAGE - 1)
    if before:
        munmap(memory, before)
    munmap(memory + before + size, HUGE_PAGE - before)
    madvise(memory + before, size, MADV_HUGEPAGE)       # may be refused: then pages are small
    return memory + before


cdef struct Mapping:
    size_t size
    void* memory


cdef void map_one(void* mapping) noexcept nogil:
    (<Mapping*>mapping).memory = map_pages((<Mapping*>mapping).size)


cdef void* map_pages_under_the_gil(size_t size) except NULL:
    """As ``map_pages``, which only a worker may call. Raises MemoryError."""
    cdef Mapping mapping
    mapping.size = size
    if not has_memory(map_one, &mapping):
        raise MemoryError(f"{size} bytes of memory could not be had")
    return mapping.memory


cdef void* reserve_pages(size_t size) except NULL:
    """Addresses of ``size`` bytes, all 0, each page of which takes memory when it is first written; there may
    be more of them than memory.

    Raises MemoryError.
    """
    cdef void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    if memory == MAP_FAILED:
        raise MemoryError(f"{size} bytes of memory could not be had")
    return memory


cdef void prefer_huge_pages(void* memory, size_t size) noexcept nogil:
    """Let what is reserved, from its first page on, come in huge pages where it is large."""
    if size >= HUGE_PAGE:
        madvise(memory, size, MADV_HUGEPAGE)            # may be refused: then pages are small


cdef void touch_pages(void* memory, size_t size) noexcept nogil:
    """Let the system find the memory now, all of it and once: a page that is read first and then
    written costs two faults."""
    madvise(memory, size, MADV_POPULATE_WRITE)          # may be refused: then it is found when it is used


cdef void unmap_pages(void* memory, size_t size) noexcept nogil:
    """Give back what ``map_pages(size)`` mapped, or ``reserve_pages(size)`` reserved."""
    munmap(memory, size)
