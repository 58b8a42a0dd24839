"""What Q2 and Q4 share at end of stream: open sessions of all partitions, in ascending user order."""

from libcpp.algorithm cimport sort


cdef bint lower_user(const OpenSession& x, const OpenSession& y) noexcept nogil:
    return x.user < y.user


cdef void sort_by_user(vector[OpenSession]& sessions) noexcept nogil:
    sort(sessions.begin(), sessions.end(), &lower_user)
