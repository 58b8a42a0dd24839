"""Joins of two streams in memory, Arrow in; Arrow out, or a source; uses data, host and pyx."""
