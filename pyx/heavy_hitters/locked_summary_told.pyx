# distutils: define_macros=STREAMBENCH_TOLD=1
"""The design "locked", which tells a simulated machine what its lines are."""

include "locked_summary.pyx"
