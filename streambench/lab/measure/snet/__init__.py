"""The benchmarks of paper 004, measured, answers checked: FRONT beside a thread for each entity; uses snet, record."""
