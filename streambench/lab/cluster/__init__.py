"""Queries on a Spark cluster: Spark partitions the data, its tasks run the engine; uses workloads and all below."""
