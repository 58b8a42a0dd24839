"""Every paper that code, tests and documents cite by number stands in the bibliography."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CITED = re.compile(r"\bpapers?\s*\(?\s*(\d{3})\b|\((\d{3}), section")
KINDS = (".py", ".pyx", ".pxd", ".pyi", ".md", ".sql", ".pml", ".h")


def listed() -> set[str]:
    return set(re.findall(r"^## Paper (\d{3})$", (ROOT / "docs" / "bibliography.md").read_text(), re.MULTILINE))


def cited() -> dict[str, str]:
    """Each number, and a file that cites it."""
    found: dict[str, str] = {}
    for folder in ("datagen", "docs", "pyx", "queries", "streambench", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in KINDS and path.is_file() and path != Path(__file__).resolve():
                for numbers in CITED.findall(path.read_text()):
                    found["".join(numbers)] = str(path.relative_to(ROOT))
    return found


def test_every_cited_paper_is_in_the_bibliography() -> None:
    found = cited()
    assert {"000", "003", "004"} <= set(found)
    assert not {number: path for number, path in found.items() if number not in listed()}


def test_every_entry_says_who_what_and_when() -> None:
    page = (ROOT / "docs" / "bibliography.md").read_text()
    entries = re.split(r"^## Paper \d{3}$", page, flags=re.MULTILINE)[1:]
    assert len(entries) == 5
    for entry in entries:
        assert re.search(r"\*[^*]+\*", entry), "a title"
        assert re.search(r"\b(19|20)\d\d\b", entry), "a year"
