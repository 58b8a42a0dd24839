"""Algorithm 2.1 of paper 002 in a dictionary: the victim is whoever has had the least count for the longest time."""

from __future__ import annotations


def space_saving(items: list[int], counters: int) -> dict[int, tuple[int, int]]:
    """By item: count and error."""
    monitored: dict[int, tuple[int, int]] = {}  # the last one changed is the last one in the dictionary
    for item in items:
        if item in monitored:
            count, error = monitored.pop(item)
        elif len(monitored) < counters:
            count, error = 0, 0
        else:
            victim = min(monitored, key=lambda one: monitored[one][0])
            count, _ = monitored.pop(victim)
            error = count
        monitored[item] = count + 1, error
    return monitored
