# distutils: define_macros=STREAMBENCH_PROFILED=1
"""The design "cooperative", which takes the time of its operations."""

include "cooperative.pyx"
