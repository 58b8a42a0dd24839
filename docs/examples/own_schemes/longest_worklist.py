"""A heuristic of one's own: where the queue is longest."""


class LongestWorklist:
    """The operator for which most tuples wait; of equals the last."""

    def choose(self, operators, time_slice, worker):
        places = [place for place, each in enumerate(operators) if each.schedulable]
        return max(places, key=lambda place: (operators[place].worklist, place), default=None)
