"""What a command simulates, a query or an own pipeline, and what it feeds the simulator with: measured now, or kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from streambench.errors import OptionError
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.named import named_workloads
from streambench.lab.measure.simulation.kept_profiles import KeptProfiles
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.simulate.profile import Profiled, Simulable, profile
from streambench.lab.simulate.times import Times, measure
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload

OF_QUERIES = ("parameters", "laps")


@dataclass(frozen=True)
class Named:
    """What is to be simulated, found and not read yet: an ``own`` pipeline, or a query over ``data``."""

    name: str
    own: OwnWorkload | None
    data: Catalog | None

    @classmethod
    def of(cls, name: str, directory: Path | None) -> Named:
        """Raises OptionError for a name that there is not, and for a query without a data directory."""
        named_workloads([name])
        own = own_workloads([name], None, OF_QUERIES, directory).get(name)
        if own is not None:
            return cls(name, own, None)
        if directory is None:
            raise OptionError(f"{name} needs a data directory: name it with --data.")
        return cls(name, None, Catalog.open(directory))

    def workload(self, parameters: str, line: LiveLine) -> Workload | OwnWorkload:
        """Ready to run."""
        if self.own is not None:
            return self.own
        assert self.data is not None, "a query has data"
        return Workload(self.name, self.data, parameters, progress=line.step)


@dataclass(frozen=True)
class Fed:
    """What a simulator is fed with: what cores take to share, and profiles, which are ``kept`` in a file or measured
    when they are asked for (None)."""

    times: Times
    kept: KeptProfiles | None = None

    @classmethod
    def of(cls, workload: Simulable, file: Path | None, line: LiveLine) -> Fed:
        """From the ``file``, or measured now. Raises StreambenchError for a file of another workload."""
        kept = None if file is None else KeptProfiles(file, workload)
        line.wait("measuring what cores take to share")
        return cls(measure() if kept is None else kept.times, kept)

    @property
    def profiled(self) -> Profiled:
        """What gives the profiles."""
        return profile if self.kept is None else self.kept.profile

    @property
    def told(self) -> dict[str, Any] | None:
        """What a document says of the file."""
        return None if self.kept is None else self.kept.told

    @property
    def origin(self) -> str:
        """Where what is measured comes from: the beginning of a sentence that says what it is."""
        if self.kept is None:
            return "Measured here"
        return f"Measured here and kept in {self.kept.path}" if self.kept.measured else f"Taken from {self.kept.path}"

    def tell_warnings(self) -> None:
        """What is to be known of profiles that were taken from a file, on standard error."""
        if self.kept is not None:
            tell_warnings(Console(stderr=True), self.kept.warnings)
