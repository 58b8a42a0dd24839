"""What puts outputs in order (paper 000, section 3). For users: see ``streambench.pyx.schemes.reorder_buffer``."""

from streambench.pyx.schemes.reorder_buffer cimport Downstream, ReorderBuffer
