# distutils: define_macros=STREAMBENCH_PROFILED=1
"""The design "independent", which takes the time of its operations."""

include "independent.pyx"
