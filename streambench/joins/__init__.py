"""Joins of two streams in memory, Arrow in and Arrow out; uses pyx."""
