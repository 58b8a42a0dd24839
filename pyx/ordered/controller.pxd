"""The controller: which plan, how many tuples to a unit, how many units under way, and when to look again."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.machine.padded cimport CounterLine
from streambench.pyx.ordered.choice_log cimport ChoiceLog
from streambench.pyx.ordered.cost_model cimport Pipeline
from streambench.pyx.ordered.terms cimport Terms
from streambench.pyx.ordered.keeping_up cimport LoneWorker
from streambench.pyx.ordered.looks cimport Looks
from streambench.pyx.ordered.meter cimport Metered
from streambench.pyx.ordered.plan cimport Cuts
from streambench.pyx.ordered.sizing cimport Sizing
from streambench.pyx.ordered.trials cimport Trials
from streambench.pyx.ordered.waiting cimport Waiting

cdef class Controller:
    # What is decided.
    cdef Cuts cuts
    cdef readonly int64_t unit              # tuples
    cdef readonly int64_t next_decision     # ticks; when to look again
    cdef readonly int64_t soonest           # ticks; when to look again if ``much`` is waiting
    cdef readonly int64_t much              # tuples
    # What the engine tells before a decision.
    cdef public int64_t full                # tuples admitted since the last look in units that were full, or that only
                                            # a batch or a lap cut short; the engine adds them
    cdef public int64_t waiting             # tuples that have arrived and are not admitted, at a rate
    cdef public int64_t waited              # ns that workers have waited for a core since the
                                            # last look; the engine adds them
    # The parts.
    cdef Terms terms
    cdef Pipeline pipeline
    cdef Looks looks
    cdef Sizing sizing
    cdef Trials trials
    cdef LoneWorker alone
    cdef Waiting crowd
    cdef int64_t since                      # ticks; of the last look
    cdef int64_t since_position             # stream tuples
    cdef bint shared                        # the best plan had segments when workers began to wait
    cdef int64_t behind                     # looks in a row that have found the stream saturated
    cdef ChoiceLog plans                    # choices that changed the plan; those of size alone are many more and
    cdef ChoiceLog sizes                    # shall not crowd these out
    cdef void begin(self, int64_t now) noexcept nogil
    cdef bint tries_plans(self) noexcept nogil
    cdef int64_t overdue(self, int64_t now) noexcept nogil
    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil
    cdef int64_t in_flight(self) noexcept nogil
    cdef bint is_early(self, int64_t now, int64_t position) noexcept nogil
    cdef bint decide_by(self, int64_t now, int64_t position, const Metered* totals) noexcept nogil
    cdef bint choose(self, int64_t now, double elapsed, double tuples) noexcept nogil
    cdef bint make_way(self, int64_t now, double elapsed) noexcept nogil
    cdef void put_in_place(self, Cuts cuts) noexcept nogil
    cdef int32_t working(self) noexcept nogil
    cdef Cuts next_plan(self, int64_t now, bint saturated, double load) noexcept nogil
    cdef void take_look(self, int64_t now, const Metered* totals, double tuples) noexcept nogil
    cdef int64_t wanted_unit(self) noexcept nogil
    cdef void look_again(self, int64_t now, double pause) noexcept nogil
    cdef double pause(self) noexcept nogil
    cdef bint is_watched(self) noexcept nogil
    cdef void note(self, int64_t now, ChoiceLog* log) noexcept nogil
    cdef bint is_due(self, int64_t now, int64_t waiting) noexcept nogil
