"""What the harness asks of this computer: cores, memory, neighbours, versions, signals; uses pyx.machine."""
