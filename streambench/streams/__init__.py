"""Queries as streams without end on Spark: operators between micro-batches; uses execution and all below."""
