"""Paper 004: FRONT, which runs networks of S-NET without a thread for each entity; uses engine and machine."""
