"""Keeping some of a unit's rows: what filters do. No branch guesses which."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport size_of

# Verbatim C++ for its AVX-512 path: a row of three columns takes 0.4 instead of 0.9 ns, where half of the rows are kept.
cdef extern from *:
    """
    #include <cstdint>
    #if defined(__x86_64__)
    #include <immintrin.h>
    #endif
    namespace streambench {
    inline int32_t keep_by_one(const int64_t* p, const int64_t* q, int64_t flip, int32_t i, int32_t n, int32_t width,
                               const int64_t* const* from, int64_t* const* to, int32_t kept) {
        for (; i < n; ++i) {
            const int64_t verdict = p[i] | (q[i] ^ flip);
            for (int32_t k = 0; k < width; ++k) to[k][kept] = from[k][i];       // always written, counted if kept
            kept += verdict >= 0;
        }
        return kept;
    }
    #if defined(__x86_64__)
    __attribute__((target("avx512f,popcnt"))) inline int32_t keep_by_eight(const int64_t* p, const int64_t* q,
            int64_t flip, int32_t n, int32_t width, const int64_t* const* from, int64_t* const* to) {
        const __m512i zero = _mm512_setzero_si512(), flips = _mm512_set1_epi64(flip);
        int32_t i = 0, kept = 0;
        for (; i + 8 <= n; i += 8) {
            const __m512i second = _mm512_xor_si512(_mm512_loadu_si512(q + i), flips);
            const __mmask8 keep = _mm512_cmpge_epi64_mask(_mm512_or_si512(_mm512_loadu_si512(p + i), second), zero);
            for (int32_t k = 0; k < width; ++k)
                _mm512_storeu_si512(to[k] + kept, _mm512_maskz_compress_epi64(keep, _mm512_loadu_si512(from[k] + i)));
            kept += __builtin_popcount(keep);
        }
        return keep_by_one(p, q, flip, i, n, width, from, to, kept);
    }
    #endif
    inline int32_t keep_rows(const int64_t* p, const int64_t* q, int64_t flip, int32_t n, int32_t width,
                             const int64_t* const* from, int64_t* const* to) {
    #if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f")) return keep_by_eight(p, q, flip, n, width, from, to);
    #endif
        if (width == 2) return keep_by_one(p, q, flip, 0, n, 2, from, to, 0);
        if (width == 3) return keep_by_one(p, q, flip, 0, n, 3, from, to, 0);
        return keep_by_one(p, q, flip, 0, n, width, from, to, 0);
    }
    }
    """
    # Copy those of ``n`` rows i for which neither p[i] nor q[i] ^ flip is negative to the front of ``to``, which needs
    # room for all; returns how many there are. ``to`` may be ``source``'s own memory, and p and q may lie in it.
    int32_t keep_rows "streambench::keep_rows"(const int64_t* p, const int64_t* q, int64_t flip, int32_t n,
                                               int32_t width, int64_t** source, int64_t** to) noexcept nogil

cdef enum:
    NOT_NULL = 0                            # for ``flip``
    NULL_ONLY = -1


cdef inline void pass_column(Columns* rows, int32_t k, Columns* out, int32_t to) noexcept nogil:
    """Make the rows' column ``k`` column ``to`` of ``out``, which keeps all rows and has room for them. Nothing is copied.

    Memory of the unit's own changes hands: the rows can still be read, but their next user starts with what they own then.
    """
    cdef int64_t* memory = rows.owned[k]
    cdef int64_t bytes = rows.owned_bytes[k]
    if rows.column[k] == memory:
        rows.owned[k] = out.owned[to]
        rows.owned_bytes[k] = out.owned_bytes[to]
        rows.capacity = 0
        out.owned[to] = out.column[to] = memory
        out.owned_bytes[to] = bytes
        out.capacity = <int32_t>min(<int64_t>out.capacity, bytes // size_of(out.layout, to))
    else:
        out.column[to] = rows.column[k]
        out.capacity = 0                    # not its own: the next user starts with what it owns
