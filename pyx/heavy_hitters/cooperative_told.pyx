# distutils: define_macros=STREAMBENCH_TOLD=1
"""The design "cooperative", which tells a simulated machine what its operations and lines are."""

include "cooperative.pyx"
