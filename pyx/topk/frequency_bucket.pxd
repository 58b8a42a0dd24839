"""A bucket of the concurrent Stream Summary (paper 002, section 4.3.2): the elements of one frequency.

Its fields `inUse`, the request queue and `marked` are one word here: 32 bits of an incarnation, one that says "owned",
and 31 for the request on top of the queue, a stack: requests may be done in any order (Lemma 4.1). One word closes the
two holes that three fields have. Who gives a bucket up does so only with an empty queue, in the same step; and no
request gets into the queue of a bucket that is being marked.

A bucket that was removed is used again, as another incarnation. Who read the frequency of an earlier one cannot leave a
request: for each incarnation the frequency is one (Invariant 4.9), and once marked it stays so (Invariant 4.10). Their
memory stays until the summary goes, so that a link always leads to a bucket (Invariant 4.7).
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    OWNED = 0x80000000
    TOP = 0x7FFFFFFF            # of the queue; 0: empty; all ones, and owned: marked

cdef extern from "frequency_bucket.h":
    # Elements, each linked to the next one.
    struct Requests "streambench::Requests":
        uint32_t first              # 0 where there are none
        uint32_t last
        uint32_t n

    cppclass Bucket "streambench::Bucket" nogil:
        atomic[uint64_t] word
        atomic[int64_t] frequency
        atomic[Bucket*] next        # of a higher frequency (Invariant 4.8), never NULL for a marked
                                    # one; changed by the owner only
        uint32_t first              # its elements: for the owner only, as the rest
        uint32_t last
        Requests deferred           # Overwrite requests that found every element busy

cdef inline bint is_marked(uint64_t word) noexcept nogil:
    return (word & (OWNED | TOP)) == (OWNED | TOP)

cdef inline bint own_bucket(Bucket* bucket, uint64_t* seen) noexcept nogil:
    """Own it, and its queue, which is left in ``seen``; False where another owns it, or it is marked."""
    while not seen[0] & OWNED:
        yield_point()
        # Acquire: what the last owner did, and the requests.
        if bucket.word.compare_exchange_weak(
            seen[0], (seen[0] & ~<uint64_t>TOP) | OWNED, memory_order_acq_rel, memory_order_acquire
        ):
            return True
    return False

cdef inline bint leave_bucket(Bucket* bucket, bint mark) noexcept nogil:
    """For the owner: give it up, or mark it; False where requests have come, to be done first
    (Principle 4.1, Invariant 4.1)."""
    cdef uint64_t word = bucket.word.load(memory_order_relaxed) & ~<uint64_t>TOP
    yield_point()
    return bucket.word.compare_exchange_strong(
        word, word | TOP if mark else word & ~<uint64_t>OWNED, memory_order_acq_rel, memory_order_relaxed
    )
