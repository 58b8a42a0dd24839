// The nodes of a gate's skip list, and what each source has of it; see skip_list_gate.pxd.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace streambench {
constexpr int kGateLevels = 4;
// A tuple, or a mark: something a source says that readers do not get. Atomics in a struct, which Cython cannot make.
struct ScaleGateNode {
    std::atomic<ScaleGateNode*> next[kGateLevels];  // nullptr is the paper's tail
    int64_t ts;
    int64_t sequence;
    ScaleGateNode* newer;  // of the same source, or the next free one: its source's own
    int32_t source;
    bool mark;
    char values[];
};
// What only the source touches, but for `written`.
struct alignas(128) ScaleGateInserter {
    ScaleGateNode* update[kGateLevels];  // where the search for a place begins: nodes before the last that was inserted
    ScaleGateNode* oldest;               // its nodes that are not freed, in order
    ScaleGateNode* newest;
    ScaleGateNode* free = nullptr;
    uint64_t random;
    int64_t nodes = 0;            // allocated
    int64_t since_reclaimed = 0;  // inserted
    alignas(128) std::atomic<ScaleGateNode*> written;
};
inline ScaleGateInserter* new_gate_inserters(int64_t n) { return new ScaleGateInserter[n]; }
inline void delete_gate_inserters(ScaleGateInserter* all) { delete[] all; }
inline ScaleGateNode* gate_node_in(void* memory) { return new (memory) ScaleGateNode; }
// Algorithm 2, line 66.
inline bool link_after(ScaleGateNode* node, int level, ScaleGateNode* next, ScaleGateNode* added) {
    return node->next[level].compare_exchange_strong(next, added);
}
}
