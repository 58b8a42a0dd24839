"""What performance is judged by, measured side by side: the runtime against hand-written loops, oneTBB and DuckDB.

A section is a file in ``sections/``; it gives cases, and a case measures what belongs together and says which rows are
made of it. What is wanted of a row is in `targets`. A case's record is plain values, so that a journal can keep it.
"""
