"""Options as a command spells them, in sentences that are told to callers from Python, too."""

from __future__ import annotations

import click


def spelled(name: str, command: click.Command) -> str:
    """``--name`` where the command has that option, ``--names`` where it takes several of them; else as it is."""
    spellings = {each for option in command.params for each in (*option.opts, *option.secondary_opts)}
    flag = f"--{name.replace('_', '-')}"
    return next((each for each in (flag, f"{flag}s") if each in spellings), name)
