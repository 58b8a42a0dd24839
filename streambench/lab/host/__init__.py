"""The machine as a measurement sees it: what it is, who else is on it, its signals; uses host and pyx.machine."""
