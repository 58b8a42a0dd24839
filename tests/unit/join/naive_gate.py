"""What a gate must do, said plainly: lists, and a look at everything for each call."""

from __future__ import annotations

from dataclasses import dataclass, field

BEFORE_ALL = -(2**63)


@dataclass
class NaiveGate:
    """``waits_for_own``: as in the paper a source's last tuple is not ready before the source says something later."""

    sources: int
    readers: int
    capacity: int
    waits_for_own: bool
    time: list[int] = field(default_factory=list)  # by source: nothing earlier comes
    tuples: list[list[int]] = field(default_factory=list)  # by source: their times
    spoke_since: list[bool] = field(default_factory=list)  # by source: a heartbeat or the end after its last tuple
    closed: list[bool] = field(default_factory=list)
    read: list[list[tuple[int, int, int]]] = field(default_factory=list)  # by reader, in the order read
    done: list[int] = field(default_factory=list)  # by reader, of those

    def __post_init__(self) -> None:
        self.time = [BEFORE_ALL] * self.sources
        self.tuples = [[] for _ in range(self.sources)]
        self.spoke_since = [False] * self.sources
        self.closed = [False] * self.sources
        self.read = [[] for _ in range(self.readers)]
        self.done = [0] * self.readers

    def add(self, source: int, ts: int) -> str:
        if self.closed[source]:
            return "closed"
        if ts < self.time[source]:
            return "late"
        slowest = min(sum(each[1] == source for each in read[:n]) for read, n in zip(self.read, self.done, strict=True))
        if len(self.tuples[source]) - slowest >= self.capacity:
            return "full"
        self.time[source] = ts
        self.tuples[source].append(ts)
        self.spoke_since[source] = False
        return "added"

    def add_rows(self, source: int, times: list[int]) -> int:
        for n, ts in enumerate(times):
            if self.add(source, ts) != "added":
                return n
        return len(times)

    def heartbeat(self, source: int, ts: int) -> str:
        if self.closed[source]:
            return "closed"
        if ts < self.time[source]:
            return "late"
        self.time[source] = ts
        self.spoke_since[source] = True
        return "added"

    def close(self, source: int) -> str:
        if self.closed[source]:
            return "closed"
        self.closed[source] = self.spoke_since[source] = True
        return "added"

    def order(self) -> list[tuple[int, int, int]]:
        """All tuples so far: (ts, source, sequence)."""
        return sorted((ts, s, k) for s in range(self.sources) for k, ts in enumerate(self.tuples[s]))

    def is_ready(self, one: tuple[int, int, int]) -> bool:
        ts, source, sequence = one
        others = all(self.closed[s] or (self.time[s], s) > (ts, source) for s in range(self.sources) if s != source)
        own = sequence + 1 < len(self.tuples[source]) or self.spoke_since[source]
        return others and (own or not self.waits_for_own)

    def next_ready(self, reader: int, at_most: int) -> list[tuple[int, int, int]] | None:
        self.done[reader] = len(self.read[reader])
        found = []
        for one in self.order()[self.done[reader] :]:
            if len(found) == at_most or not self.is_ready(one):
                break
            found.append(one)
        self.read[reader] += found
        if at_most and not found and all(self.closed) and self.done[reader] == len(self.order()):
            return None
        return found
