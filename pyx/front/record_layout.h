// What a record of a network is in memory; see record_layout.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace streambench {
struct FrontField {
    std::atomic<int64_t> owners{1};
    void* object = nullptr;  // a PyObject, one reference; null: a native box made the field, `data` is its own
    // What native boxes see (native_box.pxd), in the object's memory or in the field's own.
    void* data = nullptr;
    int64_t length = 0;   // items
    char kind = 0;        // d doubles, q 64-bit integers, c characters; 0: nothing
    bool single = false;  // a number, no array
    union {
        double number;
        int64_t integer;
    };
};
// A set of labels; the further words of a record are in its values.
struct FrontLabels {
    uint64_t first = 0;
    const uint64_t* further = nullptr;
};
struct FrontHidden {
    std::atomic<int64_t> owners{1};
    FrontHidden* outer = nullptr;
    uint64_t labels = 0;
    int64_t values[1];  // as a record's
};
// The sequence number of the records that one record caused within a deterministic combinator.
struct FrontSequence {
    int64_t number = 0;
    std::atomic<int64_t> alive{1};   // records that have it; the last to go tells the collector
    FrontSequence* outer = nullptr;  // counted there as one
    void* collector = nullptr;       // the entity that puts records in order
};
struct FrontRecord {
    std::atomic<FrontRecord*> next{nullptr};  // in a queue, or in a pool
    FrontHidden* hidden;
    FrontSequence* sequence;
    uint64_t labels;  // 0 and `ends`: no record, but the word that a sequence has ended
    int64_t ends;
    int64_t values[1];  // as many as the program has labels
};
struct alignas(128) FrontPool {   // a worker's own: no other one writes to its line
    int64_t labels = 0;           // of the program
    int64_t further = 0;          // words of labels after the first
    FrontLabels fields, binding;  // which labels are fields, and binding tags
    FrontRecord* free = nullptr;  // records that may be taken
    int64_t count = 0;
    int64_t most_free = 0;               // more are given back to the system
    std::vector<void*>* dead = nullptr;  // objects to be let go of where the GIL is held
    // Records that this worker has made or got out of cells, less those that it has dropped, put into cells or given
    // out: all workers' together are those on their way. One writes, by plain loads and stores (relaxed: who adds them
    // up looks again; when nothing moves the sum is right).
    std::atomic<int64_t> moving{0};
};
inline FrontPool* new_front_pools(int n) { return new FrontPool[n]; }
inline void delete_front_pools(FrontPool* pools) { delete[] pools; }
inline void count_moving(FrontPool* pool, int64_t more) {
    pool->moving.store(pool->moving.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}
inline FrontRecord* new_front_record(int64_t labels) {
    void* memory = ::operator new(sizeof(FrontRecord) + 8 * labels);
    return new (memory) FrontRecord;
}
inline void delete_front_record(FrontRecord* record) { ::operator delete(record); }
inline FrontField* new_front_field(void* object) {
    auto* field = new FrontField;
    field->object = object;
    return field;
}
inline void delete_front_field(FrontField* field) { delete field; }
inline void free_front_data(void* data) { ::operator delete(data); }
inline FrontHidden* new_front_hidden(int64_t labels) {
    void* memory = ::operator new(sizeof(FrontHidden) + 8 * labels);
    return new (memory) FrontHidden;
}
inline void delete_front_hidden(FrontHidden* hidden) { ::operator delete(hidden); }
inline FrontSequence* new_front_sequence() { return new FrontSequence; }
inline void delete_front_sequence(FrontSequence* sequence) { delete sequence; }
inline int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }
}
