"""Options as a command spells them, in sentences that are told to callers from Python, too."""

from __future__ import annotations

import click


def spelled(name: str, command: click.Command) -> str:
    """How the command spells the option of that name, or of several such; ``name`` itself where it has none."""
    flag = f"--{name.replace('_', '-')}"
    options = {each.opts[0]: (each.name, *each.opts) for each in command.params if isinstance(each, click.Option)}
    wanted = {name, f"{name}s", flag, f"{flag}s"}
    return next((spelling for spelling, names in options.items() if wanted.intersection(names)), name)
