"""Windows over a stream, as an operator and of a table; uses pyx, data, operators and execution."""
