"""Reordering: reorder buffers (paper 000) and the Ordered Scheduler (paper 003); uses machine."""
