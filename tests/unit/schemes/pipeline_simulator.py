"""A discrete-event simulation of workers on a pipeline that calls the runtime's heuristics: no threads, no clock."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Simulated:
    """An operator: ``cost`` is time per tuple, ``selectivity`` whole tuples out per tuple in."""

    cost: float
    selectivity: int = 1
    max_workers: int = 1 << 20
    worklist: int = 0
    workers: int = 0
    window_time: float = 0.0

    def state(self) -> dict[str, Any]:
        schedulable = self.worklist > 0 and self.workers < self.max_workers
        return {**vars(self), "schedulable": schedulable}


@dataclass
class Simulation:
    """``tuples`` arrive at once at the first operator; at most ``credit`` of them are admitted and not yet through."""

    heuristic: Any
    operators: list[Simulated]
    workers: int
    tuples: int
    credit: int
    time_slice: float = 10.0
    window: float = 1000.0
    trail: list[list[int]] = field(default_factory=list)  # worklists behind the first operator, at every choice
    taken: list[int] = field(default_factory=list)

    def run(self) -> float:
        """The time at which the last tuple has left. Raises RuntimeError where work is left that nobody is given."""
        now, window_end = 0.0, self.window
        spread = [1.0]
        for each in self.operators:
            spread.append(spread[-1] * each.selectivity)
        idle = self.workers
        events: list[tuple[float, int, int, int]] = []  # time, number, operator, tuples done
        number = admitted = left = 0
        while left < self.tuples * spread[-1]:
            first = self.operators[0]
            room = min(self.tuples, int(left / spread[-1]) + self.credit) - admitted
            first.worklist += room
            admitted += room
            while idle:
                chosen = self.heuristic.choose_from([each.state() for each in self.operators], self.time_slice)
                if chosen < 0:
                    break
                self.trail.append([each.worklist for each in self.operators[1:]])
                self.taken.append(chosen)
                operator = self.operators[chosen]
                done = min(operator.worklist, max(1, int(self.time_slice / operator.cost)))
                operator.worklist -= done
                operator.workers += 1
                idle -= 1
                number += 1
                heapq.heappush(events, (now + done * operator.cost, number, chosen, done))
            if not events:
                raise RuntimeError("tuples are waiting, and no operator is chosen")
            now, _, chosen, done = heapq.heappop(events)
            operator = self.operators[chosen]
            operator.workers -= 1
            operator.window_time += done * operator.cost
            idle += 1
            made = done * operator.selectivity
            if chosen + 1 < len(self.operators):
                self.operators[chosen + 1].worklist += made
            else:
                left += made
            if now >= window_end:
                window_end = now + self.window
                for each in self.operators:
                    each.window_time = 0.0
        return now

    def mean_worklists(self) -> float:
        """Tuples waiting behind the first operator, on average over the choices."""
        return sum(map(sum, self.trail)) / len(self.trail)
