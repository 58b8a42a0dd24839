"""Operators around functions, compiled or Python's; uses machine, tuples, partition and state."""
