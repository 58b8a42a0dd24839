"""`schemes` and `ordered` on more cores, simulated from what is measured here; uses workloads and all below."""
