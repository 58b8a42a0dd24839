"""The paper's schemes on more cores, simulated from what is measured here; uses workloads and all below."""
