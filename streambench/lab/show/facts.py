"""What a command tells of what it did: a line for each fact, its name before it."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table


def print_facts(console: Console, facts: Mapping[str, str | None]) -> None:
    """Print the facts; those that are None are left out."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts.items():
        if text is not None:
            table.add_row(name, text)
    console.print(table)
