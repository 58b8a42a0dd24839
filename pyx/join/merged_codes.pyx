"""Codes of texts from several streams as codes of one dictionary.

A stream numbers its own texts, and two streams number the same text differently. Here a text gets its code when the
first tuple that has it comes in the merged order, so codes do not depend on which stream is read first. The lock of
Python is taken for new texts only.
"""


cdef class MergedCodes:
    """``codes``: the one dictionary (``TextCodes``); ``values``: by stream the list of its values by
    their codes, which may grow.

    ``columns``: which columns hold codes. ``streams``: the stream of each of them; empty where a
    column has each tuple's own.
    """

    def __init__(self, codes, values, columns=(), streams=()):
        self.codes, self.values = codes, list(values)
        self.merged.resize(len(self.values))
        for each in columns:
            self.columns.push_back(each)
        for each in streams:
            self.streams.push_back(each)

    cdef bint translate(self, Columns* rows, int64_t begin, int64_t n, const Ready* ready) noexcept nogil:
        """Write the codes here over those of the streams, in ``n`` rows; ``ready`` says whose
        they are, unless columns do.

        False where ``error`` says why it could not be done.
        """
        cdef size_t k
        cdef int64_t i
        cdef int32_t* codes
        cdef bint known = True
        for k in range(self.columns.size()):
            codes = <int32_t*>rows.column[self.columns[k]] + begin
            for i in range(n):
                known &= self.code(ready[i].source if ready is not NULL else self.streams[k], codes[i]) != UNKNOWN
        if not known and not self.learn(rows, begin, n, ready):
            return False
        for k in range(self.columns.size()):
            codes = <int32_t*>rows.column[self.columns[k]] + begin
            for i in range(n):
                codes[i] = self.code(ready[i].source if ready is not NULL else self.streams[k], codes[i])
        return True

    cdef bint translate_to(self, int32_t stream, const int32_t* codes, int64_t n, int64_t* to) noexcept nogil:
        """The codes here of ``n`` codes of a stream; False as above."""
        cdef int64_t i
        for i in range(n):
            if self.code(stream, codes[i]) == UNKNOWN and not self.learn_all(stream, codes + i, n - i):
                return False
            to[i] = self.code(stream, codes[i])
        return True

    cdef bint learn(self, Columns* rows, int64_t begin, int64_t n, const Ready* ready) noexcept with gil:
        """Number new texts row by row, of a row in the order of columns."""
        cdef int64_t i
        cdef size_t k
        try:
            for i in range(n):
                for k in range(self.columns.size()):
                    self.learn_code(ready[i].source if ready is not NULL else self.streams[k],
                                    (<int32_t*>rows.column[self.columns[k]])[begin + i])
        except BaseException as error:
            self.error = error
        return self.error is None

    cdef bint learn_all(self, int32_t stream, const int32_t* codes, int64_t n) noexcept with gil:
        cdef int64_t i
        try:
            for i in range(n):
                self.learn_code(stream, codes[i])
        except BaseException as error:
            self.error = error
        return self.error is None

    cdef int learn_code(self, int32_t stream, int32_t code) except -1:
        if self.code(stream, code) != UNKNOWN:
            return 0
        if <size_t>code >= self.merged[stream].size():
            self.merged[stream].resize(len(self.values[stream]), <int32_t>UNKNOWN)
        (self.merged[stream][code],) = self.codes.of((self.values[stream][code],))
        return 0
