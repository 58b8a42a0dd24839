"""Arrays that begin at a cache line: what is half a line lies in one, and which lie together
is the same in every run."""

cdef extern from *:
    # Verbatim, because Cython's templates take no numbers.
    """
    #include <boost/align/aligned_allocator.hpp>
    namespace streambench {
    template <class T> using LineAllocator = boost::alignment::aligned_allocator<T, 64>;
    }
    """
    cdef cppclass LineAllocator "streambench::LineAllocator"[T]:
        pass
