"""Two results side by side: faster, slower, or it cannot be told; uses record and execution."""
