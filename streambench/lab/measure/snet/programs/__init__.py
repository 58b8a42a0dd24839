"""The benchmarks of paper 004, section 5, as programs and boxes of our own: ``NAME.snet`` and modules of boxes."""
