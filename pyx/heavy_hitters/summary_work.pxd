"""What a summary's threads do, as a simulated machine is told: places of their work, and of the locks that they hold."""

cdef enum:                              # of APPLY
    COUNTING                            # items, in the counters of one thread or of one partition
    DIVIDING                             # items by partition, or those that are counted by the thread itself

cdef enum:                              # of GATHER
    LOOKING = 2                         # at what one thread or partition has counted: work on so many counters
    MERGING = 3                         # of such parts

cdef enum:                              # of locks
    OWN                                 # each thread has one
    COMMON                              # of what all count in, or of a partition
