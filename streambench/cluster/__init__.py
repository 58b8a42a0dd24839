"""Queries on a Spark cluster: Spark moves and partitions the data, the ordered runtime works in its Python workers."""
