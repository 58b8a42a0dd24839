# distutils: define_macros=STREAMBENCH_TOLD=1
"""The fast ScaleGate, which tells a simulated machine what its lines are."""

include "ring_gate.pyx"
