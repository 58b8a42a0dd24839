"""Options as a command spells them, in sentences that are told to callers from Python, too."""

from __future__ import annotations

import click


def spelled(name: str, command: click.Command) -> str:
    """How the command spells the option of that name, or of several such; ``name`` itself where it has none."""
    flag = f"--{name.replace('_', '-')}"
    wanted = {name, f"{name}s", flag, f"{flag}s"}
    for option in (each for each in command.params if isinstance(each, click.Option)):
        if flag in option.secondary_opts:
            return flag
        if wanted.intersection((option.name, *option.opts)):
            return option.opts[0]
    return name
