"""The page of the command line lists every command, and has a section for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from streambench.lab.cli import cli

OF_A_PAGE = ("snet",)  # whose subcommands stand in one section
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text()


def _named(group: click.Group, before: str = "") -> Iterator[str]:
    for name in group.list_commands(click.Context(group)):
        found = group.get_command(click.Context(group), name)
        if isinstance(found, click.Group) and name not in OF_A_PAGE:
            yield from _named(found, f"{name} ")
        else:
            yield before + name


def test_the_table_lists_every_command_and_each_has_a_section() -> None:
    listed = re.findall(r"^\| \[`([a-z -]+)`\]\(#([a-z-]+)\) \|", PAGE, re.MULTILINE)
    assert {name for name, _ in listed} == set(_named(cli))
    assert all(f"\n## {name}\n" in PAGE and section == name.replace(" ", "-") for name, section in listed)
