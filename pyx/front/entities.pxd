"""The entity graph, as it unfolds: frames, which are replicas, and in them the entities that have been needed so far.

An entity is whatever keeps state or takes time: a box, a cell, a place where records are put in order. All else happens
to a record on its way from one entity to the next. ``pending`` counts an entity's read licences, one for each record that
was sent to it: who takes it from 0 to 1 has the entity to itself, until it has brought it back to 0.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from streambench.pyx.front.property_graph cimport Node
from streambench.pyx.front.records cimport Record

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    #include <deque>
    #include <map>
    #include <unordered_map>
    #include <vector>
    namespace streambench {
    struct FrontRecord;
    struct FrontFrame {
        FrontFrame* home;               // the frame around it
        FrontFrame* made_before;        // of all frames, for the end
        int64_t key;                    // the place of a star's replica, the tag's value of a split's
        std::atomic<void*>* slots;      // entities, frames, tables of replicas: set once
        int64_t size;
    };
    struct FrontPartial {               // a cell, or one replica of a zipper
        std::vector<FrontRecord*> slots;
        int64_t filled = 0;             // slots that have a record
    };
    struct FrontEntity {
        alignas(128) std::atomic<int64_t> pending{0};
        std::atomic<FrontRecord*> sent{nullptr};    // the records sent last, linked from the youngest
        alignas(128) FrontRecord* oldest = nullptr; // those before, linked from the oldest: whoever has the entity
        void* node = nullptr;
        FrontFrame* frame = nullptr;
        FrontEntity* made_before = nullptr;         // of all entities, for the end
        bool long_box = false;                      // a box whose calls are long: whoever puts it on a list says so
        std::deque<FrontPartial> partials;          // those that wait
        std::vector<char> fits;                     // by slot: whether the record that is taken goes there
        std::vector<int64_t> first_free;            // by slot: the first replica of a zipper that lacks it
        int64_t done = 0;                           // replicas of a zipper that are over; a cell: 1
        std::atomic<int64_t> running{0};            // calls of a box that may be called several times at once
        int64_t number = 0;                         // the next sequence number, given or awaited
        std::map<int64_t, std::vector<FrontRecord*>> early;     // records of later numbers
        std::map<int64_t, void*> ended;             // sequences that are over, by number
    };
    // Replicas of a split by the tag's value, behind a lock of a few instructions.
    struct FrontReplicas {
        std::atomic<int64_t> taken{0};
        FrontReplicas* made_before = nullptr;       // of all such tables, for the end
        std::unordered_map<int64_t, FrontFrame*> frames;
    };
    inline FrontFrame* new_front_frame(FrontFrame* home, int64_t key, int64_t size) {
        auto* slots = new std::atomic<void*>[size > 0 ? size : 1];
        for (int64_t k = 0; k < size; k++) slots[k].store(nullptr, std::memory_order_relaxed);
        return new FrontFrame{home, nullptr, key, slots, size};
    }
    inline void delete_front_frame(FrontFrame* frame) { delete[] frame->slots; delete frame; }
    inline FrontEntity* new_front_entity() { return new FrontEntity; }
    inline void delete_front_entity(FrontEntity* entity) { delete entity; }
    inline FrontReplicas* new_front_replicas() { return new FrontReplicas; }
    inline void delete_front_replicas(FrontReplicas* replicas) { delete replicas; }
    inline FrontFrame*& front_replica(FrontReplicas* replicas, int64_t value) { return replicas->frames[value]; }
    inline FrontPartial& add_front_partial(FrontEntity* entity, int64_t slots) {
        entity->partials.emplace_back();
        entity->partials.back().slots.resize(slots, nullptr);
        return entity->partials.back();
    }
    inline void keep_front_record(FrontEntity* entity, int64_t number, FrontRecord* record) {
        entity->early[number].push_back(record);
    }
    inline bool take_early_front_records(FrontEntity* entity, int64_t number, std::vector<FrontRecord*>& records) {
        auto found = entity->early.find(number);
        if (found == entity->early.end()) return false;
        records.swap(found->second);
        entity->early.erase(found);
        return true;
    }
    inline void all_early_front_records(FrontEntity* entity, std::vector<FrontRecord*>& records) {
        for (auto& each : entity->early) records.insert(records.end(), each.second.begin(), each.second.end());
        entity->early.clear();
    }
    inline void all_ended_front_sequences(FrontEntity* entity, std::vector<void*>& sequences) {
        for (auto& each : entity->ended) sequences.push_back(each.second);
        entity->ended.clear();
    }
    inline void end_front_sequence(FrontEntity* entity, int64_t number, void* sequence) { entity->ended[number] = sequence; }
    inline void* take_ended_front_sequence(FrontEntity* entity, int64_t number) {
        auto found = entity->ended.find(number);
        if (found == entity->ended.end()) return nullptr;
        void* sequence = found->second;
        entity->ended.erase(found);
        return sequence;
    }
    }
    """
    cppclass Frame "streambench::FrontFrame" nogil:
        Frame* home
        Frame* made_before
        int64_t key
        atomic[void*]* slots
        int64_t size
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
        Entity* made_before
        bint long_box
        Partials partials
        vector[char] fits
        vector[int64_t] first_free
        int64_t done
        atomic[int64_t] running
        int64_t number
    cppclass Replicas "streambench::FrontReplicas" nogil:
        atomic[int64_t] taken
        Replicas* made_before

    Frame* new_front_frame "streambench::new_front_frame"(Frame* home, int64_t key, int64_t size) noexcept nogil
    void delete_front_frame "streambench::delete_front_frame"(Frame* frame) noexcept nogil
    Entity* new_front_entity "streambench::new_front_entity"() noexcept nogil
    void delete_front_entity "streambench::delete_front_entity"(Entity* entity) noexcept nogil
    Replicas* new_front_replicas "streambench::new_front_replicas"() noexcept nogil
    void delete_front_replicas "streambench::delete_front_replicas"(Replicas* replicas) noexcept nogil
    Frame*& replica "streambench::front_replica"(Replicas* replicas, int64_t value) noexcept nogil
    Partial& add_partial "streambench::add_front_partial"(Entity* entity, int64_t slots) noexcept nogil
    void keep_early "streambench::keep_front_record"(Entity* entity, int64_t number, Record* record) noexcept nogil
    bint take_early "streambench::take_early_front_records"(Entity* entity, int64_t number, vector[Record*]& records) noexcept nogil
    void all_early "streambench::all_early_front_records"(Entity* entity, vector[Record*]& records) noexcept nogil
    void all_ended "streambench::all_ended_front_sequences"(Entity* entity, vector[void*]& sequences) noexcept nogil
    void keep_ended "streambench::end_front_sequence"(Entity* entity, int64_t number, void* sequence) noexcept nogil
    void* take_ended "streambench::take_ended_front_sequence"(Entity* entity, int64_t number) noexcept nogil

cdef void enqueue(Entity* entity, Record* record) noexcept nogil
cdef Record* dequeue(Entity* entity) noexcept nogil
