// Frames, the entities in them, and tables of replicas; see entities.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace streambench {
struct FrontRecord;
enum FrontKind : int32_t { FRONT_ENTITY, FRONT_FRAME, FRONT_REPLICAS };
struct FrontThing { int32_t kind; };  // what a slot's address begins with
struct FrontFrame {
    const int32_t kind = FRONT_FRAME;
    int32_t node = -1;           // of a split's replica: the split
    FrontFrame* home = nullptr;  // the frame around it, which is there as long as this one
    // Null, then a thing or STARTED, set once by who exchanges it for null. An entity gives way to SPENT, by who has
    // it. Null gives way to SHUT and back, by who has the lock of the table that the frame is in. The first slot of a
    // star's replica, or the slot of its first one, goes on to the next but one frame, under `taken` of the home.
    std::atomic<void*>* slots = nullptr;
    int64_t size = 0;
    int64_t key = 0;                // the place of a star's replica, the tag's value of a split's
    std::atomic<int64_t> taken{0};  // a lock: who takes replicas out of this frame's stars
    bool gone = false;              // under `taken` of the home: taken out of its star
};
struct FrontPartial {  // a cell, or one replica of a zipper
    std::vector<FrontRecord*> slots;
    int64_t filled = 0;  // slots that have a record
};
struct FrontEntity {
    const int32_t kind = FRONT_ENTITY;
    // Of one that is shut it stays 1 for ever, so that nobody gets it.
    alignas(128) std::atomic<int64_t> pending{0};
    // The records sent last, linked from the youngest; FRONT_SHUT: none can be sent. Only who has the entity, knows
    // that none waits and finds this null may shut it: then no sender has one in the queue that is not counted yet.
    std::atomic<FrontRecord*> sent{nullptr};
    alignas(128) FrontRecord* oldest = nullptr;  // those before, linked from the oldest: whoever has the entity
    void* node = nullptr;
    FrontFrame* frame = nullptr;
    bool long_box = false;              // a box whose calls are long: whoever puts it on a list says so
    std::deque<FrontPartial> partials;  // those that wait
    std::vector<char> fits;             // by slot: whether the record that is taken goes there
    std::vector<int64_t> first_free;    // by slot: the first replica of a zipper that lacks it
    int64_t done = 0;                   // replicas of a zipper that are over; a cell: 1
    std::atomic<int64_t> running{0};    // calls of a box that may be called several times at once
    int64_t number = 0;                 // the next sequence number, given or awaited
    std::map<int64_t, std::vector<FrontRecord*>> early;  // records of later numbers
    std::map<int64_t, void*> ended;                      // sequences that are over, by number
};
// Replicas of a split by the tag's value, behind a lock of a few instructions.
struct FrontReplicas {
    const int32_t kind = FRONT_REPLICAS;
    std::atomic<int64_t> taken{0};
    // Under the lock: all that follows.
    std::unordered_map<int64_t, FrontFrame*> frames;
    FrontFrame* spent = nullptr;  // the frame of all replicas in which every cell is over
    size_t enough = 64;           // with more replicas some are looked at, bucket after bucket
    size_t hand = 0;              // the next bucket; 0: not amid such a round
};
// `front_shut` as a slot's mark and as an entity's `sent`; see Mark.
static FrontRecord* const front_shut = reinterpret_cast<FrontRecord*>(2);
inline bool is_front_thing(void* found) { return reinterpret_cast<uintptr_t>(found) > 3; }
inline FrontFrame* new_front_frame(FrontFrame* home, int64_t key, int64_t size) {
    auto* frame = new FrontFrame;
    try {
        frame->slots = new std::atomic<void*>[size > 0 ? size : 1];
    } catch (...) {
        delete frame;
        throw;
    }
    for (int64_t k = 0; k < size; k++) frame->slots[k].store(nullptr, std::memory_order_relaxed);
    frame->home = home, frame->key = key, frame->size = size;
    return frame;
}
inline void delete_front_frame(FrontFrame* frame) {
    delete[] frame->slots;
    delete frame;
}
inline FrontEntity* new_front_entity() { return new FrontEntity; }
inline void delete_front_entity(FrontEntity* entity) { delete entity; }
inline FrontReplicas* new_front_replicas() { return new FrontReplicas; }
inline void delete_front_replicas(FrontReplicas* replicas) { delete replicas; }
inline void delete_front_thing(void* thing) {
    switch (static_cast<FrontThing*>(thing)->kind) {
        case FRONT_ENTITY: delete static_cast<FrontEntity*>(thing); break;
        case FRONT_FRAME: delete_front_frame(static_cast<FrontFrame*>(thing)); break;
        default: delete static_cast<FrontReplicas*>(thing);
    }
}
// The table's lock is held as long as such a guard lives, also if memory is refused meanwhile.
struct FrontLocked {
    std::atomic<int64_t>& taken;
    explicit FrontLocked(std::atomic<int64_t>& taken) : taken(taken) {
        while (taken.exchange(1, std::memory_order_acquire)) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }
    ~FrontLocked() { taken.store(0, std::memory_order_release); }
};
inline FrontFrame* front_replica(FrontReplicas* replicas, int64_t value, int32_t node, FrontFrame* home, int64_t size,
                                 int& made) {
    FrontLocked locked(replicas->taken);
    auto& found = replicas->frames[value];
    made = found == nullptr;
    if (made) {
        try {
            found = new_front_frame(home, value, size);
        } catch (...) {
            replicas->frames.erase(value);
            throw;
        }
        found->node = node;
    }
    return found;
}
// Under the lock: the replicas in the next buckets of a round, if there is one; `found` has room for `most`.
inline int next_front_replicas(FrontReplicas* replicas, FrontFrame** found, int most) {
    auto& frames = replicas->frames;
    if (replicas->hand == 0 && frames.size() <= replicas->enough) return 0;
    int n = 0;
    for (int looked = 0; looked < 4 && n < most && replicas->hand < frames.bucket_count(); looked++, replicas->hand++)
        for (auto each = frames.begin(replicas->hand); each != frames.end(replicas->hand) && n < most; ++each)
            if (each->second != replicas->spent) found[n++] = each->second;
    if (replicas->hand >= frames.bucket_count()) {
        replicas->hand = 0;
        replicas->enough = frames.size() < 32 ? 64 : 2 * frames.size();
    }
    return n;
}
inline void forget_front_replica(FrontReplicas* replicas, FrontFrame* frame, bool spent) {
    if (spent)
        replicas->frames[frame->key] = replicas->spent;
    else
        replicas->frames.erase(frame->key);
}
// All that can be reached from a frame, which comes first.
inline void front_things(FrontFrame* root, std::vector<void*>& found) {
    found.push_back(root);
    for (size_t k = 0; k < found.size(); k++) {
        if (static_cast<FrontThing*>(found[k])->kind == FRONT_FRAME) {
            auto* frame = static_cast<FrontFrame*>(found[k]);
            for (int64_t slot = 0; slot < frame->size; slot++) {
                void* thing = frame->slots[slot].load(std::memory_order_acquire);
                if (is_front_thing(thing)) found.push_back(thing);
            }
        } else if (static_cast<FrontThing*>(found[k])->kind == FRONT_REPLICAS) {
            auto* replicas = static_cast<FrontReplicas*>(found[k]);
            for (auto& each : replicas->frames)
                if (each.second != replicas->spent) found.push_back(each.second);
            if (replicas->spent != nullptr) found.push_back(replicas->spent);
        }
    }
}
inline bool has_early_or_ended(FrontEntity* entity) { return !entity->early.empty() || !entity->ended.empty(); }
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
inline void end_front_sequence(FrontEntity* entity, int64_t number, void* sequence) {
    entity->ended[number] = sequence;
}
inline void* take_ended_front_sequence(FrontEntity* entity, int64_t number) {
    auto found = entity->ended.find(number);
    if (found == entity->ended.end()) return nullptr;
    void* sequence = found->second;
    entity->ended.erase(found);
    return sequence;
}
}
