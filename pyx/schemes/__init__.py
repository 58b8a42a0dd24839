"""The engine `schemes`: paper 000 as published (stages, worklists, reorder buffers, heuristics); uses machine,
tuples, partition, queues, order and engine.
"""
