"""How terms are coded."""

from libc.math cimport INFINITY, nextafter

cdef extern from "<math.h>" nogil:
    float nextafterf(float value, float towards)

cdef enum:
    MOST_REACH = 1024                   # of codes of 32 bits, which every band has more than half of
    MARGIN = 12                         # codes: 8 that a stretch is longer than two widths, and what rounding may do
    CODES_PER_WIDTH = 256               # of floating point values: one of so many pairs that
                                        # pass is just beyond the band


cdef void set_codes(Term* term) noexcept nogil:
    """Choose the codes of a term that has its kind and its width."""
    term.hashed = term.kind == EQUAL or (term.kind in (SINGLE, DOUBLE) and term.real == 0)
    term.rise = term.shift = term.narrow_shift = 0
    term.certain = False
    if term.hashed:
        term.reach = 0
        term.reach_32 = 0
        term.reach_8 = 0
        return
    if term.kind == WHOLE:
        term.reach = 2 * <uint64_t>term.width
    else:
        # A difference that is rounded to the width may be above it by half a step of its type.
        term.widened = nextafter(term.real, INFINITY) if term.kind == DOUBLE else nextafterf(<float>term.real, INFINITY)
        term.scale = min(CODES_PER_WIDTH / term.widened, 1e300)
        term.reach = 2 * CODES_PER_WIDTH + 8    # both ends are rounded
    while 0 < (term.reach << term.rise) <= MOST_REACH // 2:
        term.rise += 1
    while (term.reach >> term.shift) > MOST_REACH:
        term.shift += 1
    while term.narrow_shift < 63 and (term.reach >> term.narrow_shift) > 0:
        term.narrow_shift += 1                  # cells wider than what a probe reaches: it touches two of 256
    term.reach_32 = <uint32_t>((term.reach << term.rise) >> term.shift) + (term.shift > 0)
    term.reach_8 = <uint8_t>(term.reach >> term.narrow_shift) + (term.narrow_shift > 0)


cdef void trust_codes(Term* term, double least, double most) noexcept nogil:
    """Say whether codes tell by themselves, where all values of both sides are from ``least`` to ``most``."""
    cdef double scale = 1.0
    if term.hashed or term.shift > 0:
        return
    if term.kind == WHOLE:
        term.margin = 0
    else:
        # The step from the width to the widened one must be less than a code.
        if not (term.widened - term.real) * <double>CODES_PER_WIDTH < term.widened or not term.scale < 1e300:
            return
        scale = term.scale
        term.margin = <uint32_t>MARGIN << term.rise
    # Codes that are further apart than 32 bits tell look near again. Beyond 2**51 a code is rounded by more than one.
    term.certain = (-2251799813685248.0 < least * scale and most * scale < 2251799813685248.0 and
                    ((most - least) * scale + 2.0 * <double>term.reach + 8.0) * <double>(<uint64_t>1 << term.rise)
                    < 4294967296.0)


cdef void choose_filters(Terms* terms) noexcept nogil:
    """Equalities turn down most, and have one code; then bands as they are given."""
    cdef int32_t k, hashed
    terms.filters = 0
    for hashed in range(1, -1, -1):
        for k in range(terms.n):
            if terms.filters < 2 and terms.term[k].hashed == hashed:
                terms.filter[terms.filters] = k
                terms.filters += 1
