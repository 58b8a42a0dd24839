// Waiting tuples in a heap of the standard library's, which wants an order of its items; see slack_buffer.pxd.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace streambench {
struct Waiting {
    int64_t ts;
    int64_t arrival;
    int64_t place;
    bool operator<(const Waiting& other) const {  // the heap's greatest is the earliest
        return ts != other.ts ? ts > other.ts : arrival > other.arrival;
    }
};
inline void push_waiting(std::vector<Waiting>& heap, const Waiting& one) {
    heap.push_back(one);
    std::push_heap(heap.begin(), heap.end());
}
inline void pop_waiting(std::vector<Waiting>& heap) {
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
}
}
