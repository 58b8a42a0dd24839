"""The data directories of the benchmark: catalogue, loading, replay order; uses host, data, datagen and pyx."""
