"""Plans come and go while workers look at them: a plan is freed when it is replaced and no worker holds it."""

from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport PLAN, look_with_others, touch
from streambench.pyx.ordered.plan cimport delete_plan, new_plan


cdef class PlansInForce:
    """The plans of one execution, with ``workers`` that look at them."""

    def __cinit__(self, int workers):
        self.workers = workers
        self.current = new_counters(1)
        self.held = new_counters(workers)

    def __dealloc__(self):
        cdef size_t k
        for k in range(self.plans.size()):
            delete_plan(self.plans[k])
        delete_counters(self.current)
        delete_counters(self.held)

    cdef void install(self, Cuts cuts, int64_t serial, const int* kinds, const int32_t* partitions,
                      const int32_t* dealt, int32_t n_operators) noexcept nogil:
        """Put a plan in force, from unit ``serial`` on; under the ingress lock, nothing in flight."""
        cdef Plan* plan = new_plan(cuts, self.installed, serial, kinds, partitions, dealt, n_operators)
        self.installed += 1
        touch(PLAN, self.current)
        self.current.value.store(<int64_t>plan, memory_order_seq_cst)       # pairs with the loads in present
        self.free_old_plans()
        append(self.plans, plan)

    cdef void free_old_plans(self) noexcept nogil:
        """Free the plans that no worker holds. They are not current, so nobody ever will:
        one a worker stays at most."""
        cdef size_t k, left = 0
        for k in range(self.plans.size()):
            if self.is_held(self.plans[k]):
                self.plans[left] = self.plans[k]
                left += 1
            else:
                delete_plan(self.plans[k])
        self.plans.resize(left)

    cdef bint is_held(self, Plan* plan) noexcept nogil:
        cdef int32_t k
        for k in range(self.workers):
            look_with_others(PLAN, &self.held[k])
            if self.held[k].value.load(memory_order_seq_cst) == <int64_t>plan:      # pairs with the store in present
                return True
        return False
