"""What an execution asks of this computer: cores, their distance, memory; uses pyx.machine."""
