"""Sinks that take the output while a pipeline runs: functions, loops, files, Kafka; uses data and pyx."""
