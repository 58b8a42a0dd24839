"""Everything worth measuring on one machine, in the time given: its parts, the plan, the run, what is made of it, its
archive, and the pack that carries all this to a machine without a network; uses measure, record, figures, claims, show,
report, answers, data and host.
"""
