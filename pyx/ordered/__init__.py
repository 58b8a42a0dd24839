"""The engine `ordered`: whole units through segments, sharded or not, by a plan that a controller chooses;
uses machine, tuples, partition and engine.
"""
