"""A function of one's own that builds a pipeline, found by its name, ``module:function``."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from typing import Any

from streambench.data.arrow_stream import to_be_read_again
from streambench.errors import OptionError
from streambench.execution.pipeline import Pipeline
from streambench.pyx.tuples.table_sink import TableSink
from streambench.user_code import exception_line, imported


def is_own(name: str) -> bool:
    """Whether a workload of this name is an own pipeline: ``module:function``, as no query is called."""
    return ":" in name


class PipelineFunction:
    """The function called ``name``, imported; it is called with ``data``, or with nothing where that is None. The
    current folder is on the path, as with ``python -m``. ``in_memory``: files are read here.

    A call builds a pipeline. Operators hold state, so each call must build a new one; and it must be of the same
    operators over the same stream. Raises OptionError, here and in calls, with one sentence that says what is wrong.
    """

    def __init__(self, name: str, data: Any = None, *, in_memory: bool = True) -> None:
        self.name = name
        self._given = () if data is None else (data,)
        module, _, function = name.partition(":")
        if not all(word.isidentifier() for word in (*module.split("."), function)):
            raise OptionError(f"own pipelines are called module:function, such as readings:build, not {name!r}.")
        self._module = imported(module)
        if not hasattr(self._module, function):
            raise OptionError(f"module {module} has no function {function}: name one that returns a Pipeline.")
        self._function = getattr(self._module, function)
        if not callable(self._function):
            raise OptionError(f"{name} is {_a(self._function)}, no function: name one that returns a Pipeline.")
        if not _takes(self._function, self._given):
            raise OptionError(
                f"{name} has no parameter that the data could be given to: give it one, or name no data."
                if self._given
                else f"{name} is to be called with the data, and none are named: name a Parquet file by --data (in "
                "Python data=), with no query beside it."
            )
        self._given = tuple(to_be_read_again(each, in_memory=in_memory) for each in self._given)

    def __call__(self) -> Pipeline:
        """A new pipeline, which nobody else gets."""
        try:
            built = self._function(*self._given)
        except (Exception, SystemExit) as problem:
            raise OptionError(f"{self.name} raised {exception_line(problem)}.") from problem
        if not isinstance(built, Pipeline):
            raise OptionError(f"{self.name} returned {_a(built)}: it must return a streambench.Pipeline.")
        if built.used:
            raise OptionError(
                f"{self.name} returned a pipeline that has been given away or executed before: operators hold state, "
                "so build a new one in every call."
            )
        if not isinstance(built.sink, TableSink):
            raise OptionError(f"{self.name} ends with {_a(built.sink)}: end it with a TableSink, which can be checked.")
        built.used = True
        return built

    def state(self) -> list[str]:
        """The name, and a digest of the module's file: what tells one version of the function from another."""
        file = getattr(self._module, "__file__", None)
        content = Path(file).read_bytes() if file else b""
        return [self.name, hashlib.sha256(content).hexdigest()]


def _takes(function: Any, arguments: tuple[Any, ...]) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True  # it does not say
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _a(value: Any) -> str:
    kind = type(value).__name__
    return "None" if value is None else f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
