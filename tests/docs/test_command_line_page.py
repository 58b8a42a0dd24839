"""The page of the command line lists every command, and has a section for each."""

from __future__ import annotations

import re
from pathlib import Path

from streambench.lab.cli import COMMANDS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text()


def test_the_table_lists_every_command_and_each_has_a_section() -> None:
    listed = re.findall(r"^\| \[`([a-z-]+)`\]\(#([a-z-]+)\) \|", PAGE, re.MULTILINE)
    assert {name for name, _ in listed} == set(COMMANDS)
    assert all(f"\n## {section}\n" in PAGE for _, section in listed)
