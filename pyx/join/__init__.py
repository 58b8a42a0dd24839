"""Paper 001: the ScaleGate, one ordered stream of several, and joins of two streams; uses engine, tuples, machine."""
