"""The entity graph, as it unfolds: frames, which are replicas, and in them the entities that have been needed so far.

An entity is whatever keeps state or takes time: a box, a cell, a place where records are put in order. All else happens
to a record on its way from one entity to the next. ``pending`` counts an entity's read licences, one for each record
that was sent to it: who takes it from 0 to 1 has the entity to itself, until it has brought it back to 0.

A frame's slots hold entities, further frames, tables of replicas, or a mark (`Mark`). What is given back before the end
(garbage.pyx) is shut first, so that nobody sends to it any more, then taken out of its slot or table, then freed when
no worker can have its address any more.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from streambench.pyx.front.records cimport Record

cdef extern from "entities.h":
    cppclass Frame "streambench::FrontFrame" nogil:
        int32_t node
        Frame* home
        int64_t key
        atomic[void*]* slots
        int64_t size
        atomic[int64_t] taken
        bint gone
    cppclass Partial "streambench::FrontPartial" nogil:
        vector[Record*] slots
        int64_t filled
    cppclass Partials "std::deque<streambench::FrontPartial>" nogil:
        Partial& operator[](size_t place)
        size_t size()
        bint empty()
        void pop_front()
    cppclass Entity "streambench::FrontEntity" nogil:
        atomic[int64_t] pending
        atomic[Record*] sent
        Record* oldest
        void* node
        Frame* frame
        bint long_box
        Partials partials
        vector[char] fits
        vector[int64_t] first_free
        int64_t done
        atomic[int64_t] running
        int64_t number
    cppclass Replicas "streambench::FrontReplicas" nogil:
        atomic[int64_t] taken
        Frame* spent
    cppclass Thing "streambench::FrontThing" nogil:
        int32_t kind
    enum: ENTITY "streambench::FRONT_ENTITY"
    enum: FRAME "streambench::FRONT_FRAME"
    Record* SHUT_QUEUE "streambench::front_shut"

    bint is_thing "streambench::is_front_thing"(void* found) noexcept nogil
    void delete_thing "streambench::delete_front_thing"(void* thing) noexcept nogil
    void things_of "streambench::front_things"(Frame* root, vector[void*]& found) noexcept nogil
    int next_replicas "streambench::next_front_replicas"(Replicas* replicas, Frame** found, int most) noexcept nogil
    void forget_replica "streambench::forget_front_replica"(Replicas* replicas, Frame* frame, bint spent) noexcept nogil
    bint has_early_or_ended "streambench::has_early_or_ended"(Entity* entity) noexcept nogil
    Frame* new_front_frame "streambench::new_front_frame"(Frame* home, int64_t key, int64_t size) noexcept nogil
    void delete_front_frame "streambench::delete_front_frame"(Frame* frame) noexcept nogil
    Entity* new_front_entity "streambench::new_front_entity"() noexcept nogil
    void delete_front_entity "streambench::delete_front_entity"(Entity* entity) noexcept nogil
    Replicas* new_front_replicas "streambench::new_front_replicas"() noexcept nogil
    void delete_front_replicas "streambench::delete_front_replicas"(Replicas* replicas) noexcept nogil
    Frame* replica "streambench::front_replica"(
        Replicas* replicas, int64_t value, int32_t node, Frame* home, int64_t size, bint& made) noexcept nogil
    Partial& add_partial "streambench::add_front_partial"(Entity* entity, int64_t slots) noexcept nogil
    void keep_early "streambench::keep_front_record"(Entity* entity, int64_t number, Record* record) noexcept nogil
    bint take_early "streambench::take_early_front_records"(Entity* entity, int64_t number,
                                                            vector[Record*]& records) noexcept nogil
    void all_early "streambench::all_early_front_records"(Entity* entity, vector[Record*]& records) noexcept nogil
    void all_ended "streambench::all_ended_front_sequences"(Entity* entity, vector[void*]& sequences) noexcept nogil
    void keep_ended "streambench::end_front_sequence"(Entity* entity, int64_t number, void* sequence) noexcept nogil
    void* take_ended "streambench::take_ended_front_sequence"(Entity* entity, int64_t number) noexcept nogil

cdef enum Mark:                         # in a slot
    SPENT = 1                           # a cell that is over, the identity
    SHUT = 2                            # the frame is being given back: nothing is made here
    STARTED = 3                         # a dispatcher's initialisers have run

cdef bint enqueue(Entity* entity, Record* record) noexcept nogil
cdef Record* dequeue(Entity* entity) noexcept nogil
cdef bint shut(Entity* entity) noexcept nogil
cdef void reopen(Entity* entity) noexcept nogil
