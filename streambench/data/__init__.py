"""Data directories: their catalogue; tables as Arrow columns, Arrow as a source; uses host, datagen and pyx."""
