"""What schedules the paper's stages (paper 000, section 6). For users: see ``streambench.pyx.schemes.scheduler``."""

from streambench.pyx.schemes.scheduler cimport Asker, Heuristic, OperatorState
