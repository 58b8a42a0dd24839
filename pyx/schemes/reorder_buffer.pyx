"""The non-blocking reorder buffer (paper 000, section 3.2, figure 4, theorem 3.1).

A bounded ring of outputs, a counter and a flag with try-lock semantics. A worker adds its output, then whoever gets the
flag sends what is ready; nobody waits. The paper's last step, "clear the flag, then look again", is a store followed by
a load of another location (Dekker's pattern): both are sequentially consistent here, because with a plain release an
output can be stranded with no worker inside. The paper's recursion is a loop.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport REORDER, touch
from streambench.pyx.machine.slots cimport delete_slots, new_slots
from streambench.pyx.machine.yield_points cimport yield_point


cdef class Downstream:
    """Base: receives outputs one at a time, in serial order."""

    cdef bint send_downstream(self, void* output) noexcept nogil:
        """Take the next output. False: it is a piece, and another one with the same serial number is to come next."""
        return True


cdef class ReorderBuffer:
    """Base of the reordering schemes; serial numbers count from 0.

    ``size``, a power of two, is how far a worker may be ahead: output ``t`` has room once ``t - size`` has been sent.
    """

    def __cinit__(self, Downstream downstream, int64_t size):
        if size < 1 or size & (size - 1):
            raise ValueError(f"a reorder buffer's size must be a power of two, not {size}")
        self.downstream = <void*>downstream
        self.mask = size - 1
        self.events = new_counters(EVENTS)

    def __dealloc__(self):
        delete_counters(self.events)

    cdef bint send(self, int64_t serial, void* output) noexcept nogil:
        """Hand in output ``serial``; False when there is no room for it yet (send it again later)."""
        return False

    cdef int64_t sent(self) noexcept nogil:
        """How many outputs have gone downstream."""
        return 0

    def counts(self) -> dict:
        """Return how often, since the start, a send took one of the slower paths."""
        return {
            "refused": self.events[REFUSED].value.load(memory_order_relaxed),
            "waiting": self.events[WAITING].value.load(memory_order_relaxed),
            "retries": self.events[RETRIES].value.load(memory_order_relaxed),
            "contended": self.events[CONTENDED].value.load(memory_order_relaxed),
        }


cdef inline const void* line_of(const void* slots, int64_t slot) noexcept nogil:
    """Where the line begins that holds a slot, of eight bytes."""
    return <const char*>slots + (slot >> 3 << 6)


cdef class NonBlockingReorderBuffer(ReorderBuffer):
    """Figure 4."""

    def __cinit__(self, Downstream downstream, int64_t size):
        self.slots = new_slots(size)
        self.next = new_counters(1)
        self.flag = new_counters(1)

    def __dealloc__(self):
        delete_slots(self.slots)
        delete_counters(self.next)
        delete_counters(self.flag)

    cdef bint send(self, int64_t serial, void* output) noexcept nogil:
        cdef bint added = self.try_add(serial, output)
        yield_point()
        cdef int64_t seen = self.send_pending()
        if not added:
            self.count(REFUSED)
        elif serial >= seen:
            self.count(WAITING)
        return added

    cdef int64_t sent(self) noexcept nogil:
        return self.next.value.load(memory_order_acquire)

    cdef bint try_add(self, int64_t serial, void* output) noexcept nogil:
        # Acquire pairs with send_pending's release of `next`: the slot's previous output has left it.
        cdef int64_t n = self.next.value.load(memory_order_acquire)
        if serial < n or serial > n + self.mask:
            return False
        yield_point()
        touch(REORDER, line_of(self.slots, serial & self.mask))
        # seq_cst: either this store is seen by the look-again in send_pending, or our test of the flag finds it clear.
        self.slots[serial & self.mask].store(output, memory_order_seq_cst)
        return True

    cdef int64_t send_pending(self) noexcept nogil:
        """Send what is ready, unless another worker does; returns the serial number of the first output not sent.

        0 when another worker held the flag from the beginning.
        """
        cdef int64_t n = 0
        cdef void* output
        while True:
            touch(REORDER, self.flag)
            if self.flag.value.exchange(1, memory_order_seq_cst) != 0:
                self.count(CONTENDED)
                return n                                    # its holder looks again after clearing it
            n = self.next.value.load(memory_order_relaxed)  # written only under the flag
            while True:
                output = self.slots[n & self.mask].load(memory_order_acquire)
                if output is NULL:
                    break
                yield_point()
                # Before it is sent: the next piece may be in the slot before this call returns.
                self.slots[n & self.mask].store(NULL, memory_order_relaxed)
                if not (<Downstream>self.downstream).send_downstream(output):
                    continue
                n += 1
                touch(REORDER, self.next)
                self.next.value.store(n, memory_order_release)      # the slot is free: pairs with try_add
            yield_point()
            touch(REORDER, self.flag)
            self.flag.value.store(0, memory_order_seq_cst)
            yield_point()
            if self.slots[n & self.mask].load(memory_order_seq_cst) is NULL:
                return n
            self.count(RETRIES)
