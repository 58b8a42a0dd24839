"""QJoin's own operator: which of a user's pairs of a view and a purchase count."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport Columns, reserve
from streambench.pyx.tuples.layout cimport INT32, type_of
from streambench.pyx.tuples.operator cimport Stateless
from streambench.pyx.tuples.typed_columns cimport int32_column, int64_column

import numpy as np

from streambench.queries.common.column_types import KEY

ctypedef fused item_t:
    int64_t
    int32_t


@cython.final
cdef class FollowedViews(Stateless):
    """SL: keep the pairs whose view came first and whose items have one category; emit (purchased, viewed).

    ``categories``: by item key, -1 for none. A pair's ``ts`` is that of its later click; of two in
    one second the view came first.
    """

    cdef const int64_t[::1] categories

    def __init__(self, categories):
        self.reads = {"ts": "int64", "bought_at": "int64", "viewed": KEY, "purchased": "=viewed"}
        self.columns = ("purchased", "viewed")
        self.types = ("=purchased", "=viewed")
        self.categories = np.ascontiguousarray(categories, dtype=np.int64)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef const int64_t* ts = int64_column(rows, self.at[0])
        cdef const int64_t* bought_at = int64_column(rows, self.at[1])
        cdef int32_t viewed = self.at[2], purchased = self.at[3]
        reserve(out, rows.n)
        if type_of(rows.layout, viewed) == INT32:
            keep_followed(self, rows.n, ts, bought_at, int32_column(rows, viewed), int32_column(rows, purchased),
                          int32_column(out, 0), int32_column(out, 1), out)
        else:
            keep_followed(self, rows.n, ts, bought_at, int64_column(rows, viewed), int64_column(rows, purchased),
                          int64_column(out, 0), int64_column(out, 1), out)
        return -1

    cdef inline int64_t category(self, int64_t item) noexcept nogil:
        return self.categories[item] if item < self.categories.shape[0] else -1


cdef inline void keep_followed(FollowedViews views, int32_t n, const int64_t* ts, const int64_t* bought_at,
                               const item_t* viewed,
                               const item_t* purchased, item_t* to_purchased, item_t* to_viewed,
                               Columns* out) noexcept nogil:
    cdef int64_t category
    cdef int32_t i, row = 0
    for i in range(n):                      # written always, counted if it is to be kept
        to_purchased[row] = purchased[i]
        to_viewed[row] = viewed[i]
        category = views.category(purchased[i])
        row += (ts[i] == bought_at[i]) & (category >= 0) & (category == views.category(viewed[i]))
    out.n = row
