"""What a run is saved as, so that it can go on: states and where they are on the disk; uses pyx."""
