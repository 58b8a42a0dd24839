"""What an evaluation measures in the time there is: of each part the level, by weight, the first parts first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streambench.lab.evaluation.parts import EvaluatedMachine, EvaluationPart, Level


@dataclass(frozen=True)
class PlannedPart:
    """A part and its ``level``; None: there is no time for it. ``seconds``: expected of it on this machine."""

    part: EvaluationPart
    level: Level | None
    seconds: float


def plan(
    parts: Sequence[EvaluationPart], machine: EvaluatedMachine, budget: float | None, scale: float = 1.0
) -> list[PlannedPart]:
    """The parts in ``budget`` seconds; those without anything to measure are left out. None: all as published.

    First every part gets its least level, in order, as long as they fit. Then the part that has least for its weight
    goes up a level, as long as one fits. ``scale``: times which the parts so far have taken what was expected.
    """
    if budget is None:
        published = [(part, part.published(machine)) for part in parts if part.levels(machine)]
        return [PlannedPart(part, level, scale * level.seconds) for part, level in published]
    levels = {part.name: part.levels(machine) for part in parts}
    parts = [part for part in parts if levels[part.name]]
    chosen: dict[str, int] = {}
    left = budget

    def seconds(name: str) -> float:
        return scale * levels[name][chosen[name]].seconds if name in chosen else 0.0

    for part in parts:
        least = scale * levels[part.name][0].seconds
        if least <= left:
            chosen[part.name], left = 0, left - least
    rising = [part for part in parts if part.name in chosen]
    while rising:
        part = min(rising, key=lambda each: seconds(each.name) / each.weight)
        higher = chosen[part.name] + 1
        more = (
            scale * levels[part.name][higher].seconds - seconds(part.name)
            if higher < len(levels[part.name])
            else left + 1
        )
        if more <= left:
            chosen[part.name], left = higher, left - more
        else:
            rising.remove(part)
    return [
        PlannedPart(part, levels[part.name][chosen[part.name]] if part.name in chosen else None, seconds(part.name))
        for part in parts
    ]
