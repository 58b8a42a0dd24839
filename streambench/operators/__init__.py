"""Operators around Python functions: the decorators, and what Numba makes of a function; uses pyx."""
