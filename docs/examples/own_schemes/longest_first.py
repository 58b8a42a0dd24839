"""A worklist of a keyed operator (paper 000, section 4)."""

from collections import Counter


class LongestFirst:
    """The partition in which most items wait."""

    def __init__(self):
        self.waiting = Counter[int]()

    def put(self, partition):
        self.waiting[partition] += 1

    def take(self, free):
        longest = max(free, key=self.waiting.__getitem__)
        self.waiting[longest] -= 1
        return longest
