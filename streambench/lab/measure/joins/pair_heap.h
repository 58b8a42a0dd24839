// Pairs in a heap of the standard library's, which wants an order of its items; see handshake_output.pxd.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace streambench {
struct Pair {
    int64_t ts;  // of the later tuple
    int64_t side;
    int64_t later;
    int64_t earlier;
    bool operator<(const Pair& other) const {  // the heap's greatest is the first
        return std::tie(ts, side, later, earlier) > std::tie(other.ts, other.side, other.later, other.earlier);
    }
};
inline void push_pair(std::vector<Pair>& heap, const Pair& one) {
    heap.push_back(one);
    std::push_heap(heap.begin(), heap.end());
}
inline void pop_pair(std::vector<Pair>& heap) {
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
}
}
