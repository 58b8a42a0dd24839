"""Modules of the user's own, imported by name, and what their code raised or gave, told in a line."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from streambench.errors import OptionError

MOST_SHOWN = 200  # characters of a value
NOT_OWN = (str(Path(__file__).parent), importlib.__file__, "<frozen")  # files whose lines are no user's


def imported(name: str) -> ModuleType:
    """The module of that name; the current folder is on the path, as with ``python -m``. Raises OptionError."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()  # the file may just have been written
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as problem:
        if isinstance(problem, ModuleNotFoundError) and f"{name}.".startswith(f"{problem.name}."):
            raise OptionError(
                f"there is no module {problem.name}: it must be on the Python path or in the current folder."
            ) from None
        raise OptionError(f"importing {name} raised {exception_line(problem)}.") from problem


def exception_line(problem: BaseException) -> str:
    """What was raised, in a line, and the last line of the user's that led there."""
    said = _line(str, problem).rstrip(".")
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if not each.filename.startswith(NOT_OWN)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(problem).__name__}{f': {said}' if said else ''}{where}"


def shown(value: object) -> str:
    """A value as Python spells it, in a line that a sentence can hold."""
    return _line(repr, value) or f"<{type(value).__name__}>"


def _line(spell: Callable[[object], str], value: object) -> str:
    """The spelling without line breaks, cut where it is long; empty where there is none, as of very large integers."""
    try:
        spelling = " ".join(spell(value).split())
    except Exception:  # the user's own
        return ""
    return spelling if len(spelling) <= MOST_SHOWN else f"{spelling[:MOST_SHOWN]}[...]"
