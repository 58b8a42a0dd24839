"""What windows there are and what is computed of each: the words that Python has for it, and the room that it takes."""

from libc.string cimport memset

SHAPES = {"tumbling": TUMBLING, "sliding": SLIDING, "session": SESSION, "counted": COUNTED}
KINDS = {"rows": ROWS, "count": COUNT, "sum": SUM, "mean": MEAN, "var": VAR, "min": MIN,
         "max": MAX, "first": FIRST, "last": LAST, "own": OWN, "distinct": DISTINCT,
         "quantile": QUANTILE, "top_k": TOP_K,
         "hyperloglog": HYPERLOGLOG, "space_saving": SPACE_SAVING}


cdef int32_t words_of(int32_t kind) noexcept nogil:
    """Words of an aggregate's cell: none of ROWS, a count or a sum, a value and whether there is one, or values, their
    number and the room there is for them. Of VAR a count, a mean and the sum of squared deviations (Welford, 1962). Of
    OWN as many as the state takes, which is not known here."""
    if kind <= SUM:
        return 0 if kind == ROWS else 1
    return 3 if kind == VAR or kind >= DISTINCT else 2


cdef class WindowDefinition:
    """What windows there are. ``keys``: the places of the key's columns, ``types`` the NumPy types of all columns.

    ``inputs``: (place, whether it holds floats, None or the integer that stands for null). ``aggregates``: (a name of
    ``KINDS``, the number of its input or -1, its first emitted column, its parameter, k, the null that is emitted, of
    ``own`` words of a state, whether floats are emitted and what holds the three functions).
    """

    def __init__(self, str shape, int64_t size, int64_t step, int64_t origin, bint fill, int32_t time, tuple keys,
                 tuple types, tuple inputs, tuple aggregates):
        cdef Definition* made = &self.definition
        cdef Aggregate* one
        cdef int32_t k
        memset(made, 0, sizeof(Definition))
        self.kept = []
        made.shape, made.size, made.step, made.origin, made.fill = SHAPES[shape], size, step, origin, fill
        made.time, made.n_keys = time, <int32_t>len(keys)
        for k, place in enumerate(keys):
            made.key_column[k] = place
            made.key_words += -(-types[place].itemsize // 8) if types[place].kind == "V" else 1
        if made.key_words > MOST_KEY_WORDS:
            raise ValueError(f"the columns of a key take at most {8 * MOST_KEY_WORDS} bytes")
        made.header = 0 if made.shape == TUMBLING else HEADER_WORDS
        made.cells = made.header + made.key_words
        made.cell_words = 1
        made.sums_alone = made.inverts = True
        made.n_inputs, made.n_aggregates = <int32_t>len(inputs), <int32_t>len(aggregates)
        for k, (place, floating, null) in enumerate(inputs):
            made.inputs[k].column, made.inputs[k].floating = place, floating
            made.inputs[k].has_null = null is not None
            made.inputs[k].null = 0 if null is None else null
        for k, (kind, source, column, parameter, most, null, own) in enumerate(aggregates):
            one = &made.aggregates[k]
            one.kind, one.input, one.column, one.parameter, one.k = KINDS[kind], source, column, parameter, most
            one.floating = source >= 0 and made.inputs[<int32_t>source].floating
            one.precision = <int32_t>parameter if one.kind == HYPERLOGLOG else 0
            one.counters = <int32_t>parameter if one.kind == SPACE_SAVING else 0
            if one.kind == COUNT and not one.floating and not made.inputs[one.input].has_null:
                one.kind = ROWS
            one.at, one.null = made.cell_words if one.kind != ROWS else 0, null
            if own is None:
                made.cell_words += words_of(one.kind)
            else:
                words, one.emits_floats, functions = own
                made.cell_words += words
                one.add = <void*><size_t>functions[0].address
                one.merge = <void*><size_t>functions[1].address
                one.result = <void*><size_t>functions[2].address
                self.kept.append(functions)
            if one.kind != ROWS and (one.kind != SUM or one.floating or made.inputs[one.input].has_null):
                made.sums_alone = False
            if one.kind > SUM or (one.kind == SUM and one.floating):
                made.inverts = False
            made.keeps_values = made.keeps_values or one.kind >= DISTINCT
        made.sums_alone = made.sums_alone and made.cell_words <= 1 + MOST_SUMS

    @property
    def identity(self) -> str:
        """What tells it from others with the same columns."""
        cdef Definition* made = &self.definition
        cdef int32_t k
        text = f"{made.shape} {made.size} {made.step} {made.origin} {made.fill} {made.time} {made.cell_words}"
        for k in range(made.n_keys):
            text += f" {made.key_column[k]}"
        for k in range(made.n_aggregates):
            text += f" {made.aggregates[k].kind} {made.aggregates[k].input} {made.aggregates[k].parameter}"
            text += f" {made.aggregates[k].k} {made.aggregates[k].precision} {made.aggregates[k].counters}"
        return text
