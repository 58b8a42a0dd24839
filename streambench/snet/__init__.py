"""S-NET, the coordination language of paper 004: programs, types, records, runtimes; uses pyx."""
