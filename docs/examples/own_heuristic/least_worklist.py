"""LP with a least worklist (paper 000, section 6.2)."""


class LeastWorklist:
    """The last operator for which 16 tuples wait; where there is none, the last one that has any."""

    least = 16

    def choose(self, operators, time_slice, worker):
        places = [place for place, each in enumerate(operators) if each.schedulable]
        full = [place for place in places if operators[place].worklist >= self.least]
        return max(full or places, default=None)
