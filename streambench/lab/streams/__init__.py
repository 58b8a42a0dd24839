"""Queries as streams without end on Spark: operators between micro-batches; uses cluster and all below."""
