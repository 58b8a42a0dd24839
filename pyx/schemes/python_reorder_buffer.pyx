"""A reorder buffer that is written in Python: called under a lock and the GIL, so for trying something out.

It is given serial numbers and returns those that are now in order; the outputs stay here. So it is checked at each call
(theorem 3.1): a serial number that is not the next one, or that is kept back, stops the run, and none can make it hang.
"""

from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.schemes.lock_based_reorder_buffer cimport HeldLock
from streambench.pyx.schemes.reorder_buffer cimport REFUSED, WAITING, Downstream


cdef class PythonReorderBuffer(LockBasedReorderBuffer):
    """``own.put(serial)`` is called once for each serial number, one worker at a time, and returns all that can now be
    sent downstream, in order. The pieces of a unit have one serial number, and go when it has been returned."""

    def asking(self, own, PythonFailure failure):
        """Ask ``own`` from now on; returns itself."""
        self.own = own
        self.failure = failure
        return self

    cdef bint send(self, int64_t serial, void* output) noexcept nogil:
        cdef HeldLock held
        cdef int64_t n
        cdef bint room, sent = False
        self.enter(&held)
        n = self.locked.next.load(memory_order_relaxed)
        room = n <= serial <= n + self.mask
        if room:
            self.slots[serial & self.mask] = output
            if serial >= self.returned:
                put(self, serial)
            while n < self.returned and self.slots[n & self.mask] is not NULL:
                yield_point()
                output = self.slots[n & self.mask]
                self.slots[n & self.mask] = NULL
                sent = True
                if not (<Downstream>self.downstream).send_downstream(output):
                    break               # the next piece waits for the lock
                n += 1
                self.locked.next.store(n, memory_order_release)     # pairs with sent, which takes no lock
        self.leave(&held)
        if not room:
            self.count(REFUSED)
        elif not sent:
            self.count(WAITING)
        return room


cdef void put(PythonReorderBuffer of, int64_t serial) noexcept with gil:
    """Ask, and see that the answer is all that is in order, and nothing else."""
    cdef int64_t end = of.locked.next.load(memory_order_relaxed) + of.mask + 1      # what is behind it has no room
    what = f"the reorder buffer {type(of.own).__name__}"
    if of.failure.sentence is not None:
        return
    try:
        for given in of.own.put(serial):
            if given != of.returned:
                of.failure.stop(f"{what} returned {given!r} from put({serial}), but {of.returned} is next in order.")
                return
            if of.returned == end or of.slots[of.returned & of.mask] is NULL:
                of.failure.stop(f"{what} returned {given!r} from put({serial}), which has not been put there yet.")
                return
            of.returned += 1
        if of.returned < end and of.slots[of.returned & of.mask] is not NULL:
            of.failure.stop(f"{what} kept {of.returned} in put({serial}): it is next in order, so return it.")
    except BaseException as problem:
        of.failure.stop_raised(what, "put", problem)
