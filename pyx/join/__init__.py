"""Joins: the ScaleGate, which makes one ordered stream of several (paper 001); uses tuples and machine."""
