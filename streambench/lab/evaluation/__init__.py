"""Everything worth measuring on one machine, in the time there is: its parts, the run, its archive, and the pack that
carries all this to a machine without a network; uses measure, record, answers, data and host.
"""
