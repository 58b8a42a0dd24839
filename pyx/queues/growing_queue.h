// A queue whose ring grows; see growing_queue.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

namespace streambench {
// Two cache lines that move between cores, one for each end. Cython cannot align a struct.
struct alignas(128) GrowingQueue {
    // The producer's end.
    std::atomic<int64_t> head{0};           // next position to push
    int64_t room_until = 0;                 // positions before it are free, as far as the producer knows
    std::atomic<int64_t>* items = nullptr;  // the ring, taken apart
    int64_t mask = 0;
    int64_t most = 0;  // the ring never gets longer than this, a power of two
    // The consumers' end.
    alignas(128) std::atomic<int64_t> tail{0};  // next position to pop
    std::atomic<int64_t> known_head{0};         // what some consumer saw of the other end
    std::atomic<int64_t> ring{0};
    std::atomic<int64_t> claims{0};  // for the owner: a lock on this end, or a count of who wants it
};
// A ring is one number: where its items are, aligned to a line, and in the low 6 bits the logarithm of its length.
inline std::atomic<int64_t>* ring_items(int64_t ring) { return (std::atomic<int64_t>*)(ring & ~int64_t(63)); }
inline int64_t ring_length(int64_t ring) { return int64_t(1) << (ring & 63); }
inline GrowingQueue* new_growing_queues(int64_t n) { return new GrowingQueue[n]; }
inline void delete_growing_queues(GrowingQueue* queues) { delete[] queues; }
}
