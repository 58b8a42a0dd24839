"""Executing a pipeline: options, plans, one execution and what its markers say; uses host, data, operators and pyx."""
