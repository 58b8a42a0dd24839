# distutils: define_macros=STREAMBENCH_TOLD=1
"""Traffic through a gate, which tells a simulated machine what it does."""

include "gate_traffic.pyx"
