"""What the engines are held against: each query, and a small pipeline, as one loop in one thread; uses pyx.

The loops use of the runtime its clock and Boost's flat map, nothing else. The small pipeline's operators are here, too.
"""
