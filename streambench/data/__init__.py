"""Arrow as a source, Parquet files and feeds among it; uses host and pyx."""
