// The rings of a gate, one for each source; see ring_gate.pxd.
#pragma once

#include <atomic>
#include <cstdint>

namespace streambench {
// What a source tells its readers, a line of its own. Cython cannot align a struct.
struct alignas(128) ScaleGateRing {
    std::atomic<int64_t> written{0};           // tuples before it are in the ring; it alone publishes them
    std::atomic<int64_t> promised{INT64_MIN};  // no tuple written after it was set is earlier; INT64_MAX: closed
    // What never changes.
    alignas(128) int64_t* times = nullptr;  // by sequence & mask, as the records
    char* records = nullptr;
};
inline ScaleGateRing* new_gate_rings(int64_t n) { return new ScaleGateRing[n]; }
inline void delete_gate_rings(ScaleGateRing* rings) { delete[] rings; }
}
