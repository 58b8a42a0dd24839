"""What a bench is to read: a data directory that is named or generated when it is needed, and own pipelines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streambench.lab.cli.data_to_make import check_data_to_make
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.measure.frame import BenchData
from streambench.lab.record.journal import data_state
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own


@dataclass(frozen=True)
class BenchSource:
    """``directory``: None, and where there are ``queries`` one is generated, as ``generate`` says. ``own``: own
    pipelines by name; where there are no queries the directory is theirs."""

    directory: Path | None = None
    queries: Sequence[str] = ()
    parameter_set: str = "paper"
    generate: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, OwnWorkload] = field(default_factory=dict)
    oracle: Path | None = None

    @classmethod
    def of(
        cls,
        workloads: Sequence[str],
        directory: Path | None,
        parameter_set: str,
        generate: Mapping[str, Any],
        *,
        oracle: Path | None = None,
        of_queries: Sequence[str] = (),
    ) -> BenchSource:
        """Of the command that runs. ``workloads``: queries, and own pipelines, which the options ``of_queries`` do not
        concern. Raises OptionError for options of data to be made along with --data, and as ``own_workloads`` does;
        DatagenError for data that cannot be."""
        queries = [name for name in workloads if not is_own(name)]
        own = own_workloads(workloads, oracle, of_queries, None if queries else directory)
        if queries:
            check_data_to_make(*generate)
        return cls(directory, queries, parameter_set, generate, own, oracle)

    @property
    def is_generated(self) -> bool:
        """Whether there must be data and none is named."""
        return self.directory is None and bool(self.queries)

    def check(self) -> None:
        """Raises DataError for a table that is missing, before anything is measured."""
        if self.directory is not None and self.queries:
            data_state(Catalog.open(self.directory), self.queries, self.parameter_set)

    def read(self, report: Callable[[str, float], None]) -> BenchData:
        """The data. ``report``: told what is generated, and the fraction of it that is done."""
        directory = self.directory
        if self.is_generated:
            directory = generated(**self.generate, progress=lambda step, done: report(f"generating {step}", done))
        catalog = Catalog.open(directory) if directory is not None and self.queries else None
        of_own = directory if catalog is None else None
        return BenchData(catalog, self.queries, self.parameter_set, self.own, of_own, self.oracle)
