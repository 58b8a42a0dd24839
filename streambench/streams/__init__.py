"""Queries as streams without end on Spark: compiled operators between micro-batches; uses execution, data, datagen."""
