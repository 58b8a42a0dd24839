"""The data directories of the benchmark: catalogue, loading, replay order, values counted; uses host, data,
topk, datagen and pyx.
"""
