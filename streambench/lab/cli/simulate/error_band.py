"""The result of `streambench simulate validate` that error bands are of, and what is told of it beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.host.machine import describe, title
from streambench.lab.record import results
from streambench.lab.record.kind_command import command_of
from streambench.lab.record.newest_result import newest, result_path
from streambench.lab.record.run import Row
from streambench.lab.record.validation_summary import KIND, compared
from streambench.lab.show.validation_table import origin

RESULTS = Path("results")


@dataclass(frozen=True)
class ErrorBands:
    """Its rows, what JSON tells of it, the same in words, and its file."""

    rows: list[Row]
    about: dict[str, Any]
    origin: str
    path: Path

    @property
    def warnings(self) -> list[str]:
        """A sentence if it was made on another processor."""
        there, here = self.about["processor"], describe()["cpu"]["model"]
        if there == here:
            return []
        return [f"the bands were found on another processor ({there}) than this one ({here}): they may not hold here"]


def validation_of(source: str | None) -> ErrorBands | None:
    """The result that is named, else the newest in results/; None where there is none.

    Raises StreambenchError for a file that cannot be read, is another command's, or holds no runs.
    """
    if source is None:
        try:
            path = newest(RESULTS, (KIND,))
        except StreambenchError:
            return None
    else:
        path = result_path(source, (KIND,))
    document = results.read_of(path, KIND)
    about = {"file": path.name, **{name: document.get(name) for name in ("created", "version", "git")}}
    about |= {"machine": title(document["machine"]), "processor": document["machine"]["cpu"]["model"]}
    return ErrorBands(document["summary"], about, f"{origin(document)} ({path.name})", path)


def bands_told(validation: ErrorBands | None, engine: str, cores: Sequence[int]) -> str:
    """What the bands of the ``engine`` rest on, and on which of the ``cores`` nothing was compared."""
    if validation is None:
        return f"no band: nothing was compared with real runs; `{command_of(KIND)}` does so."
    counts = {at: len(factors) for at, factors in compared(validation.rows, "throughput", engine).items()}
    if not counts:
        return (
            f"no band: what was compared {validation.origin} has no run of {engine}; "
            f"`{command_of(KIND)} --engines {engine}` compares some."
        )
    of = " and ".join(
        f"{count} configuration{'' if count == 1 else 's'} on {_told([at])}" for at, count in counts.items()
    )
    beyond = [each for each in cores if each not in counts]
    wider = f" On {_told(beyond)} none was: there they go from the lowest to the highest of these." if beyond else ""
    return f"The bands are of {of}, compared {validation.origin}.{wider}"


def _told(cores: Sequence[int]) -> str:
    numbers = " and ".join(", ".join(map(str, cores)).rsplit(", ", 1))
    return f"{numbers} core{'' if list(cores) == [1] else 's'}"
