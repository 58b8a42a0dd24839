"""The plan in force, and the ones before it that a worker may still look at."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.simulated cimport PLAN, look, touch
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.ordered.plan cimport Cuts, Plan

@cython.final
cdef class PlansInForce:
    cdef PaddedCounter* current                 # the Plan; changed under the ingress lock with no unit in flight
    cdef PaddedCounter* held                    # by worker: the plan that it may look at, which is not freed meanwhile
    cdef int workers
    cdef vector[Plan*] plans                    # the present one, and those before it that were held at the last change
    cdef int64_t installed                      # plans so far
    cdef void install(self, Cuts cuts, int64_t serial, const int* kinds, const int32_t* partitions,
                      const int32_t* dealt, int32_t n_operators) noexcept nogil
    cdef void free_old_plans(self) noexcept nogil
    cdef bint is_held(self, Plan* plan) noexcept nogil

    cdef inline Plan* locked(self) noexcept nogil:
        """The plan in force, with the lock: it changes under that only."""
        return <Plan*>self.current.value.load(memory_order_relaxed)

    cdef inline Plan* present(self, PaddedCounter* held) noexcept nogil:
        """The plan in force: the worker's to look at until it asks again, though it be preempted and plans change.

        ``held`` is the worker's own. With the lock, or a unit that is in flight, a worker may look at the plan in force
        without this: no other comes.
        """
        cdef int64_t plan
        look(PLAN, self.current)
        plan = self.current.value.load(memory_order_seq_cst)
        while held.value.load(memory_order_relaxed) != plan:
            # A hazard pointer (Michael, 2004). seq_cst, before the second look: if that finds the plan still current,
            # then who replaces it finds it held.
            yield_point()
            touch(PLAN, held)
            held.value.store(plan, memory_order_seq_cst)
            yield_point()
            plan = self.current.value.load(memory_order_seq_cst)
        return <Plan*>plan
