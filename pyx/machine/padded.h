// Atomics that no other data shares a cache line with; see padded.pxd.
#pragma once

#include <atomic>
#include <cstdint>

namespace streambench {
struct alignas(128) PaddedCounter { std::atomic<int64_t> value{0}; };
// Counters that are always touched together: one line moves, not one for each.
struct alignas(128) CounterLine { std::atomic<int64_t> value[16] = {}; };
inline CounterLine* new_counter_line() { return new CounterLine; }
inline CounterLine* new_counter_lines(int64_t n) { return new CounterLine[n]; }
inline void delete_counter_lines(CounterLine* lines) { delete[] lines; }
inline void delete_counter_line(CounterLine* line) { delete line; }
inline PaddedCounter* new_counters(int64_t n) { return new PaddedCounter[n]; }
inline void delete_counters(PaddedCounter* counters) { delete[] counters; }
static_assert(std::atomic<int64_t>::is_always_lock_free);
}
