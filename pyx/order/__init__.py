"""Reordering: the ring of turns and the Ordered Scheduler (paper 003); uses machine."""
