"""The data directories of the benchmark: catalogue, loading, replay order, values counted; uses host, data,
heavy_hitters, datagen and pyx.
"""
