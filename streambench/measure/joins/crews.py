"""The joins that can be measured, by name: what makes their threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

MakeCrew = Callable[[Definition, str, int], Any]

JOINS: dict[str, MakeCrew] = {"scale": lambda definition, tier, threads: JoinCrew(definition, tier, threads)}
"""From a definition, a tier and a number of threads to a crew: it has `run`, `matches`, `compared` by thread, and
`comparing_seconds`, the time after the windows were full."""
