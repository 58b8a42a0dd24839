# distutils: define_macros=STREAMBENCH_TOLD=1
"""The paper's ScaleGate, which tells a simulated machine what its lines are."""

include "skip_list_gate.pyx"
