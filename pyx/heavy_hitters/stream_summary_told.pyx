# distutils: define_macros=STREAMBENCH_TOLD=1
"""A Stream-Summary that tells a simulated machine what its lines are, where several threads count in it."""

include "stream_summary.pyx"
