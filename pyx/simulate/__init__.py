"""Cores that are simulated: the runtime's own workers on a machine of any size; uses machine, tuples and engine."""
