"""Operators and tables that several queries share; uses pyx."""
