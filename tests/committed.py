"""What git has of this checkout: a working tree may hold results that nobody committed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def committed(*patterns: str) -> list[Path]:
    """The files that git knows of by these patterns, by name; all without any. Skips a test outside a checkout, as in
    a source distribution."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: git tells of no files")
    words = ["git", "-C", str(ROOT), "ls-files", "-z", "--", *patterns]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in sorted(found) if name and (ROOT / name).is_file()]


def committed_results(pattern: str = "*.json") -> list[Path]:
    """Those of ``results/``, oldest first."""
    return committed(f"results/{pattern}")


def linked_results(folder: Path) -> Path:
    """A folder ``results`` in ``folder`` that holds the committed results and no others."""
    results = folder / "results"
    results.mkdir()
    for each in committed_results():
        (results / each.name).symlink_to(each)
    return results
