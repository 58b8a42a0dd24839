# distutils: define_macros=STREAMBENCH_TOLD=1
"""The design "shared", which tells a simulated machine what its operations and lines are."""

include "shared.pyx"
