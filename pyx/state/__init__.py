"""What operators hold by key: maps, rows, counts; uses machine, tuples and partition."""
