"""Heuristics, reorder buffers and worklists of one's own for the engine `schemes` (paper 000, sections 3, 4 and 6).

They are found by their names, ``module:Class``; the current folder is on the path.
"""

from __future__ import annotations

from typing import Any

from streambench.errors import OptionError
from streambench.pyx.schemes.python_heuristic import PythonHeuristic
from streambench.pyx.schemes.scheduler import Heuristic
from streambench.user_code import exception_line, imported


def own_heuristic(name: str) -> Any:
    """A new one, for one run: of a Cython class that extends ``Heuristic``, or of any class with a method ``choose``.

    ``choose(operators, time_slice, worker)`` gets what ``streambench.pyx.schemes.python_heuristic`` says, and returns
    the place of the operator that the worker is to work on, or None. Raises OptionError with one sentence that says
    what is wrong.
    """
    kind = _own(name, "heuristics")
    try:
        made = kind()
    except (Exception, SystemExit) as problem:
        raise OptionError(f"{name} raised {exception_line(problem)}.") from problem
    if isinstance(made, Heuristic):
        return made
    if not callable(getattr(made, "choose", None)):
        raise OptionError(f"{name} has no method `choose(operators, time_slice, worker)`: give it one.")
    return PythonHeuristic(made)


def own_class(name: str, what: str, base: type) -> Any:
    """A Cython class that extends ``base``. Raises OptionError where it is none; ``what`` it is called in that."""
    kind = _own(name, what)
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise OptionError(
            f"{name} does not extend {base.__module__}.{base.__name__}, as {what} do: write it in Cython."
        )
    return kind


def _own(name: str, what: str) -> Any:
    module_name, _, class_name = name.partition(":")
    if not all(word.isidentifier() for word in (*module_name.split("."), class_name)):
        raise OptionError(f"own {what} are called module:Class, such as mine:Balanced, not {name!r}.")
    module = imported(module_name)
    if not hasattr(module, class_name):
        raise OptionError(f"module {module_name} has no class {class_name}.")
    return getattr(module, class_name)
