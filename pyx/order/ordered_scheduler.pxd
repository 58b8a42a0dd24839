"""Runs the tasks of any threads in the order of their tickets, without a thread of its own."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.order.turn_ring cimport TurnRing

ctypedef void (*task_t)(void* argument) noexcept nogil

cdef enum Outcome:
    TAKEN               # the task has been run, or another thread will run it
    NO_ROOM             # the ticket is further ahead than the capacity: try again later
    NOT_ISSUED          # no such ticket has been taken
    USED                # the ticket has been run or trashed before

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    namespace streambench {
    struct OrderedTask {
        // Invariant: the lap of the ring on which this place can be claimed next; ticket t is of lap t / size.
        std::atomic<int64_t> lap{0};
        void (*function)(void*) = nullptr;      // nullptr for a Python callable, which is in OrderedScheduler::left
        void* argument = nullptr;
    };
    inline OrderedTask* new_tasks(int64_t n) { return new OrderedTask[n]; }
    inline void delete_tasks(OrderedTask* tasks) { delete[] tasks; }
    }
    """
    cppclass OrderedTask "streambench::OrderedTask" nogil:
        atomic[int64_t] lap
        task_t function
        void* argument
    OrderedTask* new_tasks "streambench::new_tasks"(int64_t n) except +
    void delete_tasks "streambench::delete_tasks"(OrderedTask* tasks) noexcept nogil

cdef class OrderedScheduler:
    cdef TurnRing ring                  # of pointers into `tasks`
    cdef OrderedTask* tasks             # tasks[t & mask] belongs to whoever claimed ticket t, then to who has the turn
    cdef int shift                      # t >> shift is the lap of ticket t
    cdef PaddedCounter* issued          # the next ticket
    cdef PaddedCounter* runner          # the thread that is in a task now, or 0
    cdef dict left                      # ticket -> Python callable, until it runs; a dict, for the garbage collector

    cdef int64_t take_ticket(self) noexcept nogil
    cdef Outcome run_task(self, int64_t ticket, task_t function, void* argument) noexcept nogil
    cdef Outcome trash_ticket(self, int64_t ticket) noexcept nogil
    cdef Outcome claim(self, int64_t ticket) noexcept nogil
    cdef int claim_or_raise(self, int64_t ticket) except -1
    cdef int enter(self, int64_t ticket, task_t function) except -1
    cdef OrderedTask* begin(self, OrderedTask* task) noexcept nogil
    cdef OrderedTask* end(self) noexcept nogil
    cdef void call(self, list failures) noexcept
    cdef void call_unheard(self) noexcept with gil
