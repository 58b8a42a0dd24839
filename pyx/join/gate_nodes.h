// The nodes of a gate's skip list, and what each source has of it; see skip_list_gate.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace streambench {
constexpr int kGateLevels = 4;
// A tuple, or a mark: something a source says that readers do not get. Atomics in a struct, which Cython cannot make.
struct GateNode {
    std::atomic<GateNode*> next[kGateLevels];  // nullptr is the paper's tail
    int64_t ts;
    int64_t sequence;
    GateNode* newer;  // of the same source, or the next free one: its source's own
    int32_t source;
    bool mark;
    char values[];
};
// What only the source touches, but for `written`.
struct alignas(128) GateInserter {
    GateNode* update[kGateLevels];  // where the search for a place begins: nodes before the last that was inserted
    GateNode* oldest;               // its nodes that are not freed, in order
    GateNode* newest;
    GateNode* free = nullptr;
    uint64_t random;
    int64_t nodes = 0;            // allocated
    int64_t since_reclaimed = 0;  // inserted
    alignas(128) std::atomic<GateNode*> written;
};
inline GateInserter* new_gate_inserters(int64_t n) { return new GateInserter[n]; }
inline void delete_gate_inserters(GateInserter* all) { delete[] all; }
inline GateNode* gate_node_in(void* memory) { return new (memory) GateNode; }
// Algorithm 2, line 66.
inline bool link_after(GateNode* node, int level, GateNode* next, GateNode* added) {
    return node->next[level].compare_exchange_strong(next, added);
}
}
