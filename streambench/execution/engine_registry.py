"""Engines that somebody else brings: the laboratory registers paper 000's, which the library does not know."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from streambench.errors import OptionError
from streambench.pyx.machine import simulated

_makers: dict[str, tuple[str, str]] = {}


def register(engine: str, module: str, function: str) -> None:
    """Have ``engine`` made by a function, which is imported when first used.

    It is called with the operators, how many partitions each has, the settled options, and by keyword with what all
    engines take: see ``streambench.execution.engines``.
    """
    _makers[engine] = module, function


def maker(engine: str) -> Callable[..., Any]:
    """What makes this engine. Raises OptionError where nobody has registered it."""
    if engine not in _makers:
        raise OptionError(f"`engine` {engine} belongs to the laboratory: write `import streambench.lab` first.")
    module, function = _makers[engine]
    engine_maker: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return engine_maker


def on_this_machine(engine: type) -> Any:
    """The class of the engine; on a simulated machine that of ``streambench.sim``, which tells the machine what it
    does. Both are of the same sources."""
    if simulated.current() is None:
        return engine
    module = importlib.import_module(engine.__module__.replace("streambench.pyx", "streambench.sim", 1))
    return getattr(module, engine.__name__)
