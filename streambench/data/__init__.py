"""Arrow as a source, Parquet files among it; uses host and pyx."""
