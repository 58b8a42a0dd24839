"""Top-k of what users hold in Python: NumPy and Arrow in, answers with bounds out; uses data and pyx."""
