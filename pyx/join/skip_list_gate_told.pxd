include "skip_list_gate.pxd"
