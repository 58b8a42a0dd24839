# distutils: define_macros=STREAMBENCH_BLOCKING=1 STREAMBENCH_PROFILED=1
"""The design "shared-blocking", which takes the time of its operations."""

include "shared.pyx"
