# distutils: define_macros=STREAMBENCH_BLOCKING=1
"""The design "shared" whose locks are mutexes of the system's, as the paper's are."""

include "shared.pyx"
