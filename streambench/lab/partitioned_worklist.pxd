"""A keyed operator's worklist (paper 000). For users: see ``streambench.pyx.schemes.partitioned_worklist``."""

from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist
