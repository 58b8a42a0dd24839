"""What cores take to share: a property of the machine, measured there, and an input of the controller."""

cdef struct CoreCosts:
    double line             # ns that a cache line takes from one core to another
    double byte             # ns for each byte of a unit that another core wrote: its lines
                            # are on their way many at a time

cdef CoreCosts costs_of(named)
