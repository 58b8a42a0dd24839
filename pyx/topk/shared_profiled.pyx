# distutils: define_macros=STREAMBENCH_PROFILED=1
"""The design "shared", which takes the time of its operations."""

include "shared.pyx"
