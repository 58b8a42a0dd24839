"""What the partitioning schemes share (paper 000, section 4): the seam between a partitioned operator and its worklist.

Every scheme keeps theorem 4.1: no two workers in one partition at a time, and the items of a partition exactly once,
in the order in which they were added. They differ in which partition a worker gets, and what it does when it gets none.
"""


cdef class Consumer:
    """Base: processes items that a partitioned worklist gives out."""

    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil:
        """Process one item; returns what it used of the budget. ``visit`` is the worker's own.

        Less than 0, the negative of that: the item is not done with, and keeps its partition until ``give_back``.
        """
        return 1

    cdef void partition_left(self, void* visit) noexcept nogil:
        """Called by the same worker when it holds no partition any more."""
        pass


cdef class PartitionedWorklist:
    """Base of the partitioning schemes; for ``partitions`` partitions and up to ``capacity`` items waiting in each.

    A worklist of neither is refused with a ValueError.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        if partitions < 1 or capacity < 1:
            raise ValueError(f"a partitioned worklist needs at least 1 partition and a capacity of at least 1, "
                             f"not {partitions} and {capacity}")
        self.partitions = partitions

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        """Append an item; called by one producer at a time (the upstream reorder buffer sees to that)."""
        pass

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        """Process items until the budget is used or none is left to take; returns what was used.

        0: nothing to be had just now, though items may be waiting where another worker is active.
        """
        return 0

    cdef int64_t give_back(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil:
        """An item that kept its partition is done with: others may have the partition. Returns what was used for items
        that nobody else would process."""
        return 0
