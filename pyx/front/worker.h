// What a worker of FRONT has, and what all of them share; see worker.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "entities.h"
#include "record_layout.h"

namespace streambench {
struct FrontMove {
    int64_t node;
    FrontFrame* frame;
    FrontRecord* record;
};
struct FrontRetired {
    int64_t era;
    void* thing;
};
struct alignas(128) FrontWorker {
    int64_t number = 0;
    int64_t steps = 0;  // nodes that took a record
    int64_t stolen = 0;
    std::vector<int64_t> made;      // values for a record, where there are too many for the stack
    std::vector<FrontMove> moves;   // on their way to entities, the next one last
    FrontEntity* held = nullptr;    // an entity that this worker has, to go on with
    FrontRecord* record = nullptr;  // its record; null: it is in the entity's queue
    std::vector<void*> dead;
    FrontPool* pool = nullptr;
    std::vector<bool> long_boxes;       // by number: whether this worker's last call of the box was long
    std::vector<FrontRetired> retired;  // taken out by this worker, not freed yet, in the order of their eras
    size_t retired_before = 0;          // of these, when it looked last whether some can be freed
    std::vector<FrontEntity*> later;    // to be put on the list when a table's lock is given back
    // The era in which this worker had no address but of what cannot be given back; AWAY: it has none.
    alignas(128) std::atomic<int64_t> seen{INT64_MAX};
    // The list, also of thieves.
    alignas(128) std::atomic<int64_t> taken{0};
    std::atomic<int64_t> waiting{0};
    std::atomic<int64_t> waiting_long{0};  // of these the boxes whose calls are long
    std::atomic<int64_t> since{0};         // in a box since this tick; 1: its calls are long; 0: in none
    std::vector<FrontEntity*> list;        // entities that this worker has and others may take over, the next one last
};
// The list grows under its lock: memory that is refused must not leave it taken.
inline void list_front_entity(FrontWorker* worker, FrontEntity* entity) {
    FrontLocked locked(worker->taken);
    worker->list.push_back(entity);
    worker->waiting.store(int64_t(worker->list.size()), std::memory_order_relaxed);
    if (entity->long_box) worker->waiting_long.fetch_add(1);  // seq_cst: read before a worker sleeps
}
inline void expect_front_call(FrontWorker* worker, size_t box, bool is_long) {
    if (worker->long_boxes.size() <= box) worker->long_boxes.resize(box + 1);
    worker->long_boxes[box] = is_long;
}
template <class T> inline void make_front_room(std::vector<T>& items, size_t more) {
    if (items.capacity() - items.size() < more) items.reserve(2 * items.capacity() + more);
}
inline void make_room_to_give_back(FrontWorker* worker, size_t retired, size_t later) {
    make_front_room(worker->retired, retired);
    make_front_room(worker->later, later);
}
template <class T> inline size_t append_locked(std::atomic<int64_t>& taken, std::vector<T>& items, T item) {
    FrontLocked locked(taken);
    items.push_back(item);
    return items.size();
}
inline FrontWorker* new_front_workers(int n) { return new FrontWorker[n]; }
inline void delete_front_workers(FrontWorker* workers) { delete[] workers; }
struct FrontShared {
    alignas(128) std::atomic<int64_t> idle{0};
    alignas(128) std::atomic<int64_t> input{0};   // somebody takes records in
    std::atomic<int64_t> ended{0};                // there are no more
    alignas(128) std::atomic<int64_t> output{0};  // somebody has the output
    alignas(128) std::atomic<int64_t> era{0};     // goes on when all workers that have addresses have seen it
    alignas(128) std::atomic<int64_t> living{0};  // entities and frames
    std::atomic<int64_t> most_living{0};
    alignas(128) std::atomic<int64_t> waiting{0};  // records that have left, until who listens has taken them
};
inline FrontShared* new_front_shared() { return new FrontShared; }
inline void delete_front_shared(FrontShared* shared) { delete shared; }
}
