"""Executing a pipeline: options, plans, a run and what its markers say; uses host, data,
checkpoints, operators, sinks and pyx."""
