"""What a worker has: records on their way, an entity to go on with, and a list of others, which thieves look at, too."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_acquire, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.front.entities cimport Entity, Frame, Replicas
from streambench.pyx.front.records cimport Pool, Record
from streambench.pyx.machine.threads cimport pause_briefly

cdef extern from *:
    """
    #include <atomic>
    #include <vector>
    namespace streambench {
    struct FrontMove { int64_t node; FrontFrame* frame; FrontRecord* record; };
    struct alignas(128) FrontWorker {
        int64_t number = 0;
        int64_t steps = 0;              // nodes that took a record
        int64_t stolen = 0;
        std::vector<FrontMove> moves;   // on their way to entities, the next one last
        FrontEntity* held = nullptr;    // an entity that this worker has, to go on with
        FrontRecord* record = nullptr;  // its record; null: it is in the entity's queue
        std::vector<void*> dead;
        FrontPool* pool = nullptr;
        FrontEntity* entities = nullptr;        // that this worker made
        FrontFrame* frames = nullptr;
        FrontReplicas* replicas = nullptr;
        std::vector<bool> long_boxes;   // by number: whether this worker's last call of the box was long
        // The list, also of thieves.
        alignas(128) std::atomic<int64_t> taken{0};
        std::atomic<int64_t> waiting{0};
        std::atomic<int64_t> waiting_long{0};   // of these the boxes whose calls are long
        std::atomic<int64_t> since{0};  // in a box since this tick; 1: its calls are long; 0: in none
        std::vector<FrontEntity*> list; // entities that this worker has and others may take over, the next one last
    };
    inline FrontWorker* new_front_workers(int n) { return new FrontWorker[n]; }
    inline void delete_front_workers(FrontWorker* workers) { delete[] workers; }
    struct FrontShared {
        alignas(128) std::atomic<int64_t> idle{0};
        alignas(128) std::atomic<int64_t> input{0};    // somebody takes records in
        std::atomic<int64_t> ended{0};                 // there are no more
        alignas(128) std::atomic<int64_t> output{0};   // somebody has the output
        alignas(128) std::atomic<int64_t> waiting{0};  // records that have left, until who listens has taken them
    };
    inline FrontShared* new_front_shared() { return new FrontShared; }
    inline void delete_front_shared(FrontShared* shared) { delete shared; }
    }
    """
    cppclass Move "streambench::FrontMove" nogil:
        int64_t node
        Frame* frame
        Record* record
    cppclass Worker "streambench::FrontWorker" nogil:
        int64_t number
        int64_t steps
        int64_t stolen
        vector[Move] moves
        Entity* held
        Record* record
        vector[void*] dead
        Pool* pool
        Entity* entities
        Frame* frames
        Replicas* replicas
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
        atomic[int64_t] waiting
    Worker* new_front_workers "streambench::new_front_workers"(int n) except +
    void delete_front_workers "streambench::delete_front_workers"(Worker* workers) noexcept
    Shared* new_front_shared "streambench::new_front_shared"() except +
    void delete_front_shared "streambench::delete_front_shared"(Shared* shared) noexcept

cdef enum:
    IN_NO_CALL = 0                      # `since`
    IN_LONG_CALL = 1
    LONG_TICKS = 25_000                 # some 10 µs: a longer call is worth the cache misses of stealing, and the waking

cdef inline bint is_long(Worker* worker, size_t box) noexcept nogil:
    return box < worker.long_boxes.size() and worker.long_boxes[box]

cdef inline void lock(atomic[int64_t]* taken) noexcept nogil:
    while taken.exchange(1, memory_order_acquire):           # pairs with unlock
        pause_briefly()

cdef inline void unlock(atomic[int64_t]* taken) noexcept nogil:
    taken.store(0, memory_order_release)
