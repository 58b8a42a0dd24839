# distutils: define_macros=STREAMBENCH_TOLD=1
"""The design "hybrid", which tells a simulated machine what its lines are."""

include "hybrid.pyx"
