"""The terms of a join's predicate: each compares a column of the left side with one of the right.

Beside its exact test a term gives every value a *code*, and every probe a stretch of codes ``low`` to ``low + reach``
in which the codes of all values are that match it: one test for all types, of which a few bits suffice to turn most
values down. Codes are compared modulo their width, so that values may be anywhere; what passes is tested exactly.
"""

from libc.math cimport fabs, floor
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "<math.h>" nogil:
    float fabsf(float value)

cdef enum:
    MOST_TERMS = 16

cdef enum:
    EQUAL                               # int64
    WHOLE                               # a band over int64,
    SINGLE                              # float32,
    DOUBLE                              # float64: the difference is rounded as the type's are

cdef struct Term:
    int32_t kind
    bint hashed                         # codes are hashes: equal values only
    const void* column[2]               # by side
    int64_t width                       # of a band, of whole numbers
    double real                         # or of floating point ones
    double widened                      # a bit more than that, so that no rounding loses a match
    double scale                        # their codes per unit
    uint64_t reach
    int32_t rise                        # of codes of 32 bits, to the left
    int32_t shift                       # or to the right, and
    int32_t narrow_shift                # of 8
    uint32_t reach_32
    uint8_t reach_8
    bint certain                        # codes of 32 bits tell: what is ``margin`` or more within the stretch matches
    uint32_t margin

cdef struct Terms:
    int32_t n
    Term term[MOST_TERMS]
    int32_t filters
    int32_t filter[2]                   # the terms whose codes are looked at first: equalities before bands

cdef void set_codes(Term* term) noexcept nogil
cdef void trust_codes(Term* term, double least, double most) noexcept nogil
cdef void choose_filters(Terms* terms) noexcept nogil

cdef inline bint holds_term(const Term* term, int64_t left, int64_t right) noexcept nogil:
    cdef int64_t a, b
    if term.kind == SINGLE:
        return fabsf((<const float*>term.column[0])[left] - (<const float*>term.column[1])[right]) <= <float>term.real
    if term.kind == DOUBLE:
        return fabs((<const double*>term.column[0])[left] - (<const double*>term.column[1])[right]) <= term.real
    a = (<const int64_t*>term.column[0])[left]
    b = (<const int64_t*>term.column[1])[right]
    if term.kind == EQUAL:
        return a == b
    return (<uint64_t>b - <uint64_t>a if a < b else <uint64_t>a - <uint64_t>b) <= <uint64_t>term.width

cdef inline bint holds_all(const Terms* terms, int64_t left, int64_t right) noexcept nogil:
    cdef int32_t k
    for k in range(terms.n):
        if not holds_term(&terms.term[k], left, right):
            return False
    return True

cdef inline uint64_t mixed(uint64_t bits) noexcept nogil:
    """All bits of the result depend on all of these; different ones stay different."""
    bits ^= bits >> 32
    bits *= <uint64_t>0xD6E8FEB86659FD93
    bits ^= bits >> 32
    bits *= <uint64_t>0xD6E8FEB86659FD93
    return bits ^ (bits >> 32)

cdef inline double real_of(const Term* term, int32_t side, int64_t row) noexcept nogil:
    if term.kind == SINGLE:
        return (<const float*>term.column[side])[row]
    return (<const double*>term.column[side])[row]

cdef inline int64_t code_of_real(const Term* term, double value) noexcept nogil:
    """Never decreasing along the values. Beyond 2**52 codes there is only one."""
    cdef double code = value * term.scale
    if not code > -4503599627370496.0:          # not a number, too: nothing matches it
        return -4503599627370496
    return <int64_t>floor(code) if code < 4503599627370496.0 else 4503599627370496

cdef inline int64_t hash_of(const Term* term, int32_t side, int64_t row) noexcept nogil:
    cdef double value
    cdef uint64_t bits
    if term.kind == EQUAL:
        return <int64_t>mixed((<const uint64_t*>term.column[side])[row])
    value = real_of(term, side, row) + 0.0      # one zero
    memcpy(&bits, &value, sizeof(bits))
    return <int64_t>mixed(bits)

cdef inline int64_t code_of(const Term* term, int32_t side, int64_t row) noexcept nogil:
    """The code of the side's value in this row."""
    if term.hashed:
        return hash_of(term, side, row)
    if term.kind == WHOLE:
        return (<const int64_t*>term.column[side])[row]
    return code_of_real(term, real_of(term, side, row))

cdef inline int64_t low_of(const Term* term, int32_t side, int64_t row) noexcept nogil:
    """The lowest code of what the side's value in this row matches; the highest is lower or
    equal to this plus ``reach``."""
    cdef int64_t value
    if term.hashed:
        return hash_of(term, side, row)
    if term.kind == WHOLE:
        value = (<const int64_t*>term.column[side])[row]
        return value - term.width if value >= INT64_MIN + term.width else INT64_MIN
    return code_of_real(term, max(real_of(term, side, row) - term.widened, -1.7976931348623157e308))

cdef inline uint32_t as_32(const Term* term, int64_t code) noexcept nogil:
    """The code in 32 bits. Those of all bands are about as far apart from what they reach."""
    return <uint32_t>(<int64_t>(<uint64_t>code << term.rise) >> term.shift)

cdef inline bint matches_nothing(const Term* term, int32_t side, int64_t row) noexcept nogil:
    """The value is not a number, or it is infinite."""
    return (term.kind == SINGLE or term.kind == DOUBLE) and not fabs(real_of(term, side, row)) <= 1.7976931348623157e308
