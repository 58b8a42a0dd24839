"""What a worker has: records on their way, an entity to go on with, and a list of others,
which thieves look at, too."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_acquire, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.front.entities cimport Entity, Frame
from streambench.pyx.front.records cimport Pool, Record
from streambench.pyx.machine.threads cimport pause_briefly

cdef extern from "worker.h":
    cppclass Move "streambench::FrontMove" nogil:
        int64_t node
        Frame* frame
        Record* record
    cppclass Retired "streambench::FrontRetired" nogil:
        int64_t era
        void* thing
    cppclass Worker "streambench::FrontWorker" nogil:
        int64_t number
        int64_t steps
        int64_t stolen
        vector[int64_t] made
        vector[Move] moves
        Entity* held
        Record* record
        vector[void*] dead
        Pool* pool
        vector[Retired] retired
        size_t retired_before
        vector[Entity*] later
        atomic[int64_t] seen
        vector[bint] long_boxes
        atomic[int64_t] taken
        atomic[int64_t] waiting
        atomic[int64_t] waiting_long
        atomic[int64_t] since
        vector[Entity*] list
    cppclass Shared "streambench::FrontShared" nogil:
        atomic[int64_t] idle
        atomic[int64_t] input
        atomic[int64_t] ended
        atomic[int64_t] output
        atomic[int64_t] era
        atomic[int64_t] living
        atomic[int64_t] most_living
        atomic[int64_t] waiting
    void expect_call "streambench::expect_front_call"(Worker* worker, size_t box, bint long) noexcept nogil
    void list_entity "streambench::list_front_entity"(Worker* worker, Entity* entity) noexcept nogil
    void make_room_to_give_back "streambench::make_room_to_give_back"(Worker* worker, size_t retired,
                                                                      size_t later) noexcept nogil
    size_t append_locked "streambench::append_locked"(atomic[int64_t]& taken, vector[Record*]& items,
                                                      Record* item) noexcept nogil
    Worker* new_front_workers "streambench::new_front_workers"(int n) except +
    void delete_front_workers "streambench::delete_front_workers"(Worker* workers) noexcept
    Shared* new_front_shared "streambench::new_front_shared"() except +
    void delete_front_shared "streambench::delete_front_shared"(Shared* shared) noexcept

cdef enum:
    IN_NO_CALL = 0                      # `since`
    IN_LONG_CALL = 1
    LONG_TICKS = 25_000  # some 10 µs: a longer call is worth the cache misses of stealing, and the waking

cdef inline bint is_long(Worker* worker, size_t box) noexcept nogil:
    return box < worker.long_boxes.size() and worker.long_boxes[box]

cdef inline void lock(atomic[int64_t]* taken) noexcept nogil:
    while taken.exchange(1, memory_order_acquire):           # pairs with unlock
        pause_briefly()

cdef inline void unlock(atomic[int64_t]* taken) noexcept nogil:
    taken.store(0, memory_order_release)
