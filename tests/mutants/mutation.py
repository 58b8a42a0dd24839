"""What a mutation is: a few lines of the sources made wrong, and the tests that should notice.

An edit finds its line by a short part of it, which may stand anywhere: the line may move, and be indented otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class StaleError(Exception):
    """The sources do not hold what a mutation would change."""


@dataclass(frozen=True)
class Edit:
    """The ``part`` of a line becomes ``new``, between lines ``before`` and ``after`` it, which get its indentation.

    ``part`` stands once in the file; with ``behind``, which stands once, it is the first one behind that. ``new`` None:
    the whole line goes.
    """

    part: str
    new: str | None
    behind: str = ""
    before: str = ""
    after: str = ""

    def place(self, text: str) -> tuple[int, int, str]:
        """Where in ``text`` the line begins and ends, and what it becomes. Raises StaleError."""
        start = 0
        if self.behind:
            start = _only(text, self.behind) + len(self.behind)
            if self.part not in text[start:]:
                raise StaleError(f"{self.part!r} stands behind {self.behind!r} 0 times, not once")
        start = text.index(self.part, start) if self.behind else _only(text, self.part)
        begin = text.rfind("\n", 0, start) + 1
        end = text.find("\n", start + len(self.part))
        line, at = text[begin:end], start - begin
        indentation = line[: len(line) - len(line.lstrip())]
        lines = [f"{indentation}{each}\n" for each in self.before.splitlines()]
        if self.new is not None:
            lines.append(line[:at] + self.new + line[at + len(self.part) :] + "\n")
        lines += [f"{indentation}{each}\n" for each in self.after.splitlines()]
        return begin, end + 1, "".join(lines)


def _only(text: str, part: str) -> int:
    """Where ``part`` stands in ``text``."""
    if (found := text.count(part)) != 1:
        raise StaleError(f"{part!r} stands there {found} times, not once")
    return text.index(part)


def swap(part: str, new: str, behind: str = "", *, before: str = "", after: str = "") -> Edit:
    """``new`` in the place of ``part``."""
    return Edit(part, new, behind, before, after)


def drop(part: str, behind: str = "", *, put: str = "") -> Edit:
    """Without the line, or with the lines ``put`` in its place."""
    return Edit(part, None, behind, before=put)


def put(part: str, behind: str = "", *, before: str = "", after: str = "") -> Edit:
    """Lines before or after the one with ``part``."""
    return Edit(part, part, behind, before, after)


@dataclass(frozen=True)
class Mutation:
    """All ``edits`` of ``file``, a path from the root. ``tests``: files, or names of tests."""

    name: str
    file: str
    tests: tuple[str, ...]
    edits: tuple[Edit, ...]

    def of(self, text: str) -> str:
        """``text`` of the file as it becomes. Raises StaleError where an edit does not find its line."""
        for begin, end, lines in sorted((each.place(text) for each in self.edits), reverse=True):
            text = text[:begin] + lines + text[end:]
        return text

    def apply(self, root: Path) -> None:
        """Change the file below ``root``. Raises StaleError."""
        path = root / self.file
        if not path.exists():
            raise StaleError(f"{self.file} is not there")
        path.write_text(self.of(path.read_text()))


def of(file: str, *rows: tuple[str, tuple[str, ...], *tuple[Edit, ...]]) -> Iterator[Mutation]:
    """The mutations of one file: their names, the tests that should notice, what is edited."""
    return (Mutation(name, file, tests, tuple(edits)) for name, tests, *edits in rows)
