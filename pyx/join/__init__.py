"""Paper 001: the ScaleGate, one ordered stream of several, and joins of two; uses engine, queues, tuples, machine."""
