"""Data directories: their catalogue, and tables as Arrow columns; uses host and datagen."""
