"""Queues that hold what waits; uses machine."""
