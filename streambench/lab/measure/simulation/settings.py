"""What a simulated sweep is: its schedule, how long its streams are, and the machine that is simulated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from streambench.errors import OptionError
from streambench.execution.settled import settle
from streambench.lab.measure.simulation.paper_costs import required
from streambench.lab.measure.sweep.product import Comparison, tuple_cost
from streambench.lab.measure.sweep.schedule import FEWEST_TUPLES, Schedule, SweepPoint
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.laps import within
from streambench.lab.workloads.micro import MicroSpec

PAPER_CORES = 16
CORES = (1, 2, 4, 8, 12, 16, 32, 64, 128)
FEW_CORES = (1, 2, 4, 8, 16, 64, 128)
TUPLES = 20_000  # of a lap of a parametric pipeline, and of the first look at how long runs last
PER_CORE = 20  # tuples at least, so that all cores have something to do
PROFILED_SECONDS = 0.2  # of a parametric pipeline's work: what all of its tuples take varies little
MEASURED, PAPER = "measured", "paper"
COSTS = (MEASURED, PAPER)
OF_PROFILES = ("partitions", "credit", "partitioning", "partition_by", "unit", "fuse")
"""Options that change what one worker takes for a piece of work; heuristic and reordering scheme only say when."""


@dataclass(frozen=True)
class SimulatedSchedule:
    """``schedule``: repeat r is simulated with ``seed`` + r, fed with a profile of its own.

    ``tuples``: of a run, at least, where operators do not multiply them; None: as many as last long enough to be drawn
    (``simulation_summary.LEAST_WINDOWS``), but of own pipelines one lap. ``topology``: None for one socket, which is an
    assumption. ``costs``: of operators, as ``measured`` here, or scaled to what the ``paper`` says. Raises OptionError.
    """

    schedule: Schedule
    tuples: int | None = None
    topology: Topology | None = None
    seed: int = 1
    costs: str = MEASURED

    def __post_init__(self) -> None:
        if not FEWEST_TUPLES <= self.first_tuples <= 100_000_000:
            raise OptionError(f"`tuples` are from {FEWEST_TUPLES} to 100000000 with --simulated, not {self.tuples}.")
        if not 0 <= self.seed < 1 << 62:
            raise OptionError(f"`seed` must be from 0 to 2**62 - 1, not {self.seed}.")
        if self.costs not in COSTS:
            raise OptionError(f"`costs` are {' or '.join(COSTS)}, not {self.costs!r}.")
        for comparison in self.schedule.comparisons:
            if self.costs == PAPER and isinstance(comparison.workload, str):
                required(comparison.workload)
            for options in comparison.configurations:
                if options.engine == "ordered":
                    raise OptionError("only the engine schemes is simulated by a sweep: leave out --engines ordered.")
                if options.engine == "schemes" and options.workers is not None:
                    self.place.require(options.workers)

    @property
    def first_tuples(self) -> int:
        """Of a run, at least, before any is found to be too short."""
        return TUPLES if self.tuples is None else self.tuples

    @property
    def place(self) -> Topology:
        """Where the cores stand."""
        return self.topology or Topology()

    @property
    def cores(self) -> list[int]:
        """How many are simulated, each number once."""
        counts = {
            options.workers
            for comparison in self.schedule.comparisons
            for options in comparison.configurations
            if options.engine == "schemes" and options.workers is not None
        }
        return sorted(counts)

    def is_serial(self, point: SweepPoint) -> bool:
        """Whether a point is one of the serial engine, which is measured."""
        return self.schedule.options(point).engine == "serial"

    def profile_key(self, point: SweepPoint) -> str:
        """What the profile that feeds a point is of, in a word that is the same in every call."""
        settled = settle(self.schedule.options(point))
        how = ", ".join(f"{each} {getattr(settled, each)}" for each in OF_PROFILES)
        return f"{self.schedule.comparisons[point.comparison].name}; {how}; repeat {point.repeat}"

    def laps(self, rows: int) -> int:
        """Of a query's stream of so many ``rows``, at first."""
        return within(self.first_tuples / max(1, rows))

    def micro_tuples(self, comparison: Comparison) -> int:
        """Of a lap of a parametric pipeline's simulated stream: fewer where one becomes many on its way."""
        assert isinstance(comparison.workload, MicroSpec)
        growth = 1.0
        for each in comparison.workload.operators:
            growth = max(growth, growth * each.selectivity)
        least = PER_CORE * max(self.cores, default=1)
        return max(FEWEST_TUPLES, min(self.first_tuples, max(least, round(self.first_tuples / growth))))

    def profiled_tuples(self, comparison: Comparison) -> int:
        """Of the stream of its profile run and of the serial engine, whose operators do compute."""
        assert isinstance(comparison.workload, MicroSpec)
        enough = round(PROFILED_SECONDS / max(tuple_cost(comparison.workload), 1e-9))
        return max(FEWEST_TUPLES, min(self.micro_tuples(comparison), enough))

    def describe(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        return {**self.plain(), "schedule": self.schedule.describe()}

    def plain(self) -> dict[str, Any]:
        """All but the comparisons, for a result's parameters."""
        how = "assumed: all cores near each other" if self.topology is None else "given"
        return {
            "repeats": self.schedule.repeats,
            "parameter_set": self.schedule.parameter_set,
            "simulated": True,
            "simulated_cores": self.cores,
            "least_tuples": self.tuples,
            "topology": {**asdict(self.place), "how": how},
            "simulation_seed": self.seed,
            "costs": self.costs,
        }
