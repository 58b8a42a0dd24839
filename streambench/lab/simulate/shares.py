"""For which part of a simulated run's time its cores were at work, and waited for each other's lines."""

from __future__ import annotations

from typing import Any


def cores_and_lines(where: dict[str, Any]) -> dict[str, float]:
    """By name, the parts of the cores' time for which they were at work, and waited for lines: the name says of which
    kind mostly. ``where`` as ``SimulatedCores`` says."""
    lines: dict[str, float] = where["waits"]
    waited = sum(lines.values())
    mostly = f", mostly of {max(lines, key=lambda name: lines[name])}" if waited > 0 else ""
    return {"the cores": where["workers"], f"lines between cores{mostly}": waited}
