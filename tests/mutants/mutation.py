"""What a mutation is: one place of the sources made wrong, and the tests that should notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class StaleError(Exception):
    """The sources do not hold what a mutation would change."""


@dataclass(frozen=True)
class Mutation:
    """``old`` stands exactly once in ``file`` (a path from the root) and becomes ``new``; ``tests``: files or names."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> None:
        """Change the file below ``root``. Raises StaleError where it does not hold ``old`` once."""
        path = root / self.file
        text = path.read_text() if path.exists() else ""
        found = text.count(self.old)
        if found != 1:
            raise StaleError(f"{self.file} holds what it changes {found} times, not once")
        path.write_text(text.replace(self.old, self.new))
