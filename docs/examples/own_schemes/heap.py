"""A reorder buffer (paper 000, section 3)."""

import heapq


class Heap:
    """What waits for an earlier one is in a heap."""

    def __init__(self):
        self.next, self.waiting = 0, []

    def put(self, serial):
        heapq.heappush(self.waiting, serial)
        ready = []
        while self.waiting and self.waiting[0] == self.next:
            ready.append(heapq.heappop(self.waiting))
            self.next += 1
        return ready
