"""Heuristics, reorder buffers and worklists of one's own for the engine `schemes` (paper 000, sections 3, 4 and 6).

They are found by their names, ``module:Class``; the current folder is on the path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streambench.errors import OptionError
from streambench.execution.engine_registry import on_this_machine
from streambench.pyx.machine import simulated
from streambench.pyx.schemes.partitioned_worklist import PartitionedWorklist
from streambench.pyx.schemes.python_failure import PythonFailure
from streambench.pyx.schemes.python_heuristic import PythonHeuristic
from streambench.pyx.schemes.python_reorder_buffer import PythonReorderBuffer
from streambench.pyx.schemes.python_worklist import PythonWorklist
from streambench.pyx.schemes.reorder_buffer import ReorderBuffer
from streambench.pyx.schemes.scheduler import Heuristic
from streambench.user_code import exception_line, imported


class OwnSchemes:
    """Those of one run: each is of a Cython class that extends the paper's, or of any class that has its methods.

    All raise OptionError with one sentence that says what is wrong. ``failure``: what goes wrong in Python later.
    """

    def __init__(self) -> None:
        self.failure = on_this_machine(PythonFailure)()

    def heuristic(self, name: str) -> Any:
        """A new one. In Python it has ``choose``, see ``streambench.pyx.schemes.python_heuristic``."""
        kind = _own(name, "heuristics", Heuristic, "choose(operators, time_slice, worker)")
        made = _made(name, kind)
        return made if isinstance(made, Heuristic) else on_this_machine(PythonHeuristic)(made, self.failure)

    def reorder_buffer(self, name: str) -> Callable[..., Any]:
        """What makes one for a stage. In Python it has ``put``, see
        ``streambench.pyx.schemes.python_reorder_buffer``."""
        maker = self._maker(name, "reorder buffers", ReorderBuffer, PythonReorderBuffer, "put(serial)")
        if isinstance(maker, type) and simulated.current() is not None:
            raise OptionError(f"{name} is of Cython, and such reorder buffers are not simulated: write it in Python.")
        return maker

    def worklist(self, name: str) -> Callable[..., Any]:
        """What makes one for a keyed operator. In Python it has ``put`` and ``take``, see
        ``streambench.pyx.schemes.python_worklist``."""
        return self._maker(name, "worklists", PartitionedWorklist, PythonWorklist, "put(partition)", "take(free)")

    def _maker(self, name: str, what: str, base: type, adaptor: type, *methods: str) -> Callable[..., Any]:
        kind = _own(name, what, base, *methods)
        if issubclass(kind, base):
            return kind

        def make(of: Any, size: int) -> Any:
            return on_this_machine(adaptor)(of, size).asking(_made(name, kind), self.failure)

        return make


def _made(name: str, kind: type) -> Any:
    try:
        return kind()
    except (Exception, SystemExit) as problem:
        raise OptionError(f"{name} raised {exception_line(problem)}.") from problem


def _own(name: str, what: str, base: type, *methods: str) -> type:
    """The class of that name, which extends ``base`` or has these methods."""
    module_name, _, class_name = name.partition(":")
    if not all(word.isidentifier() for word in (*module_name.split("."), class_name)):
        raise OptionError(f"own {what} are called module:Class, such as mine:Balanced, not {name!r}.")
    module = imported(module_name)
    kind = getattr(module, class_name, None)
    if not isinstance(kind, type):
        raise OptionError(f"module {module_name} has no class {class_name}.")
    for method in () if issubclass(kind, base) else methods:
        if not callable(getattr(kind, method.partition("(")[0], None)):
            raise OptionError(f"{name} has no method `{method}`: give it one.")
    return kind
