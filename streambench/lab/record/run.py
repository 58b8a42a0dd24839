"""A run, one measurement of any kind, and what all kinds have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Plain = Mapping[str, Any]
"""The JSON form of a run."""

Row = dict[str, Any]
"""A row of a summary, as values that JSON can hold."""


@dataclass(frozen=True)
class Run(Mapping[str, Any]):
    """A measurement. Its JSON form, which a result file holds, is ``plain``; what only runs of its kind have is read
    from there by name."""

    plain: Plain

    def __getitem__(self, name: str) -> Any:
        return self.plain[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.plain)

    def __len__(self) -> int:
        return len(self.plain)

    @property
    def right(self) -> bool | None:
        """Whether all that was checked was right; None where the run names no check."""
        checks = [self.plain[name] for name in ("verified", "sequence_ok", "answer_ok") if name in self.plain]
        return all(each is True for each in checks) if checks else None

    @property
    def verified(self) -> bool:
        """Whether the whole sequence and its answer, or what stands for both, were checked and right."""
        if "verified" in self.plain:
            return bool(self.plain["verified"])
        return self.plain.get("sequence_ok") is True and self.plain.get("answer_ok") is True

    @property
    def throughput(self) -> float:
        """Tuples per second."""
        return float(self.plain["throughput"])
