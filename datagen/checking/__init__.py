"""The check of a data directory: files, hashes, order, distributions, edge rows; uses make."""
