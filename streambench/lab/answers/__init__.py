"""What the right output is: SQL's answer, and sequences compared row by row; uses data and pyx."""
