"""What feeds a join's curve over cores: profiles of all its numbers of cores, made by turns.

A core is 1.5 times as fast as a second before, by what others do on the machine. Profiles that are made one number of
cores after the other would put that into the curve. So there are rounds, each with a profile for every number, and the
middle one of each counts, in the search for the rate as in the run at that rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.simulated import Rows, at_full_speed, attempt, profiled, steady_of
from streambench.lab.measure.joins.sustained import FIRST_WINDOW, Sustained, sustained
from streambench.lab.measure.joins.throughput import Point
from streambench.lab.simulate.machine import Machine
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Costs

ROUNDS = 5
LOOKS = 2  # at how many tuples the window will have, before the rounds
SETTLED = 0.03  # a rate that changes by less in a run that is twice as long; and
MOST_IN_LINE = 1 << 15  # tuples of a longer run
COMPARING = 1  # the place of a join's work where batches are compared; see match_merge.pxd
WALKED = ("scan", "simd", "codes")  # tiers that look at every tuple of the window


class Curve:
    """Of points that differ in their cores only. ``most``: tuples of a window; ``seed``: of the tuples."""

    def __init__(self, points: Sequence[Point], machine: Machine, most: int, seed: int = 1) -> None:
        self.machine, self.seed = machine, seed
        self._points, self._most = list(dict.fromkeys(points)), most
        self._profiles: dict[Point, tuple[int, Rows]] = {}
        self._sustained: dict[Point, Sustained] = {}
        self._settling: dict[Point, int] = {}

    def costs(self, point: Point, window: int) -> Costs:
        """What pieces take at a thread of the point's, with such a window; all points are profiled at the first call.

        A window that was not profiled takes as much more as there are more tuples to look at. (A handshake join's
        tuples are looked up in the profile by how many they are compared with.)
        """
        profiled_with, (work, spans) = self._profile_of(point)
        if point.join == "scale" and point.tier in WALKED:
            spans = spans.copy()
            spans[(work[:, 0] == Work.APPLY) & (work[:, 1] == COMPARING), 1] *= window / profiled_with
        return Costs(work, spans)

    def sustained(self, point: Point) -> Sustained:
        """The rate that the point sustains on simulated cores, searched as a real one's is."""
        if point not in self._sustained:
            found = [0.0]

            def measured(window: int) -> float:
                steady = self.steady(point, window, found[-1])
                run = self._run(point, window, steady, self.costs(point, window))
                found.append(run[0])
                return run[1]

            self._sustained[point] = sustained(measured, point.window, self._most, self._profile_of(point)[0])
        return self._sustained[point]

    def steady(self, point: Point, window: int, comparisons: float) -> int:
        """How many tuples of each side are compared in a run. ``comparisons``: per second, as a run before had them."""
        if point.join == "handshake" and point not in self._settling:
            self._settling[point] = self._settles(point, window)
        least = steady_of(point, window, comparisons / point.threads)
        return max(least, self._settling.get(point, 0))

    def _settles(self, point: Point, window: int) -> int:
        """With how many tuples a line's rate is what it is with twice as many: one side gets ahead at first, until
        its credit is used up, and cores at the other end wait."""
        steady, costs = steady_of(point, window, 0.0), self.costs(point, window)
        _, rate = self._run(point, window, steady, costs)
        while 2 * steady <= MOST_IN_LINE:
            _, longer = self._run(point, window, 2 * steady, costs)
            if abs(longer - rate) < SETTLED * rate:
                break
            steady, rate = 2 * steady, longer
        return steady

    def _profile_of(self, point: Point) -> tuple[int, Rows]:
        """With a window of how many tuples, and what pieces took."""
        if not self._profiles:
            self._profile()
        return self._profiles[point]

    def _profile(self) -> None:
        windows = {point: self._window(point) for point in self._points}
        steady = {point: steady_of(point, windows[point], 0.0) for point in self._points}
        definitions = {
            point: PaperStreams(windows[point] + steady[point], self.seed).definition(windows[point], steady[point])
            for point in self._points
        }
        attempts: dict[Point, list[Rows]] = {point: [] for point in self._points}
        for number in range(ROUNDS):
            for point in self._points if number % 2 == 0 else reversed(self._points):
                attempts[point].append(attempt(point, definitions[point]))
        for point in self._points:
            rows = profiled(point, definitions[point], self.machine, attempts[point])
            self._profiles[point] = windows[point], rows

    def _window(self, point: Point) -> int:
        """About how many tuples a window has at the rate that the point sustains, by single profiles."""
        window = min(FIRST_WINDOW, self._most)
        for _ in range(LOOKS):
            steady = steady_of(point, window, 0.0)
            definition = PaperStreams(window + steady, self.seed).definition(window, steady)
            costs = Costs(*profiled(point, definition, self.machine, [attempt(point, definition)]))
            comparisons, _ = self._run(point, window, steady, costs)
            window = max(1, min(self._most, round(math.sqrt(comparisons * point.window / 2))))
        return window

    def _run(self, point: Point, window: int, steady: int, costs: Costs) -> tuple[float, float]:
        """Comparisons, and tuples of each side, per second."""
        found = at_full_speed(point, PaperStreams(window + steady, self.seed), window, steady, self.machine, costs)
        return float(found["comparisons_per_second"]), float(found["tuples_per_second"])


def curves_of(points: Sequence[Point], machine: Machine, most: int, seed: int = 1) -> dict[Point, Curve]:
    """The curve that each point is of."""
    of_all: dict[tuple[str, str, float], list[Point]] = {}
    for point in points:
        of_all.setdefault((point.join, point.tier, point.window), []).append(point)
    curves = {key: Curve(members, machine, most, seed) for key, members in of_all.items()}
    return {point: curves[point.join, point.tier, point.window] for point in points}
