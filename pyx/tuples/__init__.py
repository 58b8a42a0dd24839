"""Tuples on their way: columns, units, the operators that take them, sources and sinks; uses machine."""
