"""What cores take to share, as the controller is told; measured by ``streambench.host.core_costs``.

A controller never looks it up by itself: whoever makes one says it, so that a simulation and
a replay decide as they did.
"""

from libc.math cimport isfinite

cdef CoreCosts ASSUMED
# Where nothing was measured. Rather too small than too large, for a plan that is tried in vain costs little.
ASSUMED.line = 100.0                    # 15 to 40 were measured of cores that share a
                                        # last-level cache, some 215 of others
ASSUMED.byte = 0.01                     # 0.02 to 0.1 were measured


def assumed() -> dict:
    """Return the costs by name that a controller goes by that is told none."""
    return ASSUMED


cdef CoreCosts costs_of(named):
    """The ``named`` costs, or with None those that are assumed. Raises ValueError for a cost that cannot be."""
    cdef CoreCosts costs = ASSUMED
    if named is None:
        return costs
    if sorted(named) != sorted(assumed()):
        raise ValueError(
            f"what cores take to share is told as {' and '.join(assumed())}, not {', '.join(named) or 'nothing'}."
        )
    costs = named
    if not (isfinite(costs.line) and isfinite(costs.byte) and costs.line >= 0 and costs.byte >= 0):
        raise ValueError(f"what cores take to share must be nanoseconds from 0 up, not {named!r}.")
    return costs
