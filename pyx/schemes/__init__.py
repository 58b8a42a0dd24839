"""The engine `schemes`: paper 000 as published (stages, worklists, schedulers, heuristics); uses machine,
tuples, partition, queues, order and engine.
"""
