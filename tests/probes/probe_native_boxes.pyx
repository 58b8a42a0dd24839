"""S-NET boxes that hold no GIL."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.native_box cimport (
    Call, doubles, fail, give, integers, length, n_doubles, n_integers, native, number, put_doubles, put_input,
    put_integer, put_number, put_tag, put_text, tag, text,
)
from streambench.pyx.machine.threads cimport yield_core

cdef atomic[int64_t] together


cdef api void native_scale(Call* call) noexcept nogil:
    """Every value k-fold, and how many there are."""
    cdef int64_t place, size = n_doubles(call, 0)
    cdef double* out
    give(call, 0)
    out = put_doubles(call, 0, size)
    for place in range(size):
        out[place] = doubles(call, 0)[place] * tag(call, 1)
    put_tag(call, 1, size)


cdef api void native_each(Call* call) noexcept nogil:
    """The k-th of so many, with half of the number, the text, and the field as it is; none,
    and an error, if it is < 0."""
    cdef int64_t k, size = tag(call, 0)
    if size < 0:
        fail(call, b"wants no negative number")
    for k in range(size):
        give(call, k % 2)
        put_tag(call, 0, k)
        if k % 2 == 0:
            put_number(call, 1, number(call, 1) / 2)
            if length(call, 2) > 0 and text(call, 2) is not NULL:       # a number's length is 1
                put_text(call, 2, 1)[0] = text(call, 2)[0]
        else:
            put_input(call, 1, 3)


cdef api void native_sum(Call* call) noexcept nogil:
    """The sum of integers."""
    cdef int64_t k, total = 0
    for k in range(n_integers(call, 0)):
        total += integers(call, 0)[k]
    give(call, 0)
    put_integer(call, 0, total)


cdef api void native_huge(Call* call) noexcept nogil:
    """Wants 2^61 doubles: their bytes are 0 in 64 bits."""
    give(call, 0)
    put_doubles(call, 0, <int64_t>1 << 61)


cdef api void native_lacking(Call* call) noexcept nogil:
    """Gives a record without its field."""
    give(call, 0)


cdef api void native_meet(Call* call) noexcept nogil:
    """Goes on when two calls are under way at a time: so it ends only without the GIL, in two threads."""
    cdef int64_t here = together.fetch_add(1) + 1
    while here % 2 == 1 and together.load() == here:
        yield_core()
    give(call, 0)
    put_tag(call, 0, tag(call, 0))


cdef api int native_no_box(int n) noexcept nogil:
    return n


CHECKED = {"scale": native(native_scale)}
