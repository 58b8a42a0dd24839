"""The data directory that a bench measures over: the one that is named, or one that is generated when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated, require_generated
from streambench.lab.record.journal import data_state


class OverData(NamedTuple):
    """``directory``: None, and one of ``scale_factor`` is generated. ``queries``: read their tables."""

    directory: Path | None
    scale_factor: float
    queries: Sequence[str]
    parameter_set: str

    def check(self) -> None:
        """Raises DataError for a table that is missing, DatagenError for a scale factor that no data can have."""
        if self.directory is None:
            require_generated(scale_factor=self.scale_factor)
        else:
            self.state(Catalog.open(self.directory))

    def catalog(self, report: Callable[[str, float], None]) -> Catalog:
        """The data. ``report``: told what is generated, and the fraction of it that is done."""
        if self.directory is not None:
            return Catalog.open(self.directory)
        return Catalog.open(
            generated(self.scale_factor, progress=lambda step, done: report(f"generating {step}", done))
        )

    def state(self, data: Catalog) -> list[Any]:
        """What must be the same for two calls to go on with one another's runs."""
        return data_state(data, self.queries, self.parameter_set)
