include "ring_gate.pxd"
