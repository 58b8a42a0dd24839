"""Modules of the user's own, imported by name, and what their code raised, told in a line."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from types import ModuleType

from streambench.errors import OptionError

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
        raise OptionError(f"importing {name} raised {told(problem)}.") from problem


def told(problem: BaseException) -> str:
    """What was raised, in a line, and the last line of the user's that led there."""
    said = " ".join(str(problem).split()).rstrip(".")
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if not each.filename.startswith(NOT_OWN)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(problem).__name__}{f': {said}' if said else ''}{where}"
