"""Tries an installed wheel as a user has it who has no compiler: every query, checked, and operators in Python.

``python try_wheel.py``, by the Python that it is installed for; needs nothing but what the wheel asks for. Where Numba
is installed, operators are compiled by it, too. Exits with 1 and a sentence where something is not as it should be.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "queries"))  # small_data; the source tree itself stays out of the way
os.environ["PATH"] = ""

import numpy as np  # noqa: E402
import small_data  # noqa: E402

import streambench.lab  # noqa: E402
from streambench.pyx.table_sink import TableSink  # noqa: E402
from streambench.pyx.table_source import TableSource  # noqa: E402
from streambench.queries.query import names  # noqa: E402

WAYS = ({"workers": 2, "plan": "sharded"}, {"workers": 2, "heuristic": "ct"})


def queries() -> None:
    """Every query, by both parallel engines, checked against the serial one and DuckDB."""
    with tempfile.TemporaryDirectory() as folder:
        small_data.make(Path(folder), 1)
        for name in names():
            for way in WAYS:
                result = streambench.lab.run(name, data=folder, preload=True, pin=False, **way)
                require(result.sequence_ok is True and result.answer_ok is True, f"{name} {way}: {result.problem}")
            print(f"{name}: right")


def functions(numba: bool) -> None:
    """A keyed operator in Python."""

    @streambench.keyed(key="sensor", state=[("highest", "int64")], emits=("sensor", "record"), numba=numba)
    def record(state, sensor, reading):  # type: ignore[no-untyped-def]
        if reading > state.highest:
            state.highest = reading
            return sensor, reading
        return None

    readings = TableSource([np.array([7, 8, 7, 8, 7]), np.array([20, 25, 30, 10, 40])], ["sensor", "reading"])
    pipeline = streambench.Pipeline([readings, record, TableSink()])
    pipeline.run(workers=2, pin=False)
    found = [column.tolist() for column in pipeline.sink.rows()]
    require(found == [[7, 8, 7, 7], [20, 25, 30, 40]], f"the operator record emitted {found}")
    print(f"an operator in Python, {'by Numba' if numba else 'without Numba'}: right")


def has_numba() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def require(right: bool, otherwise: str) -> None:
    if not right:
        sys.exit(f"try_wheel: {otherwise}")


def main() -> None:
    """Try all of it."""
    for compiler in ("cc", "gcc", "g++", "c++", "clang"):
        require(shutil.which(compiler) is None, f"there is a compiler on the PATH: {compiler}")
    package = Path(streambench.__file__).resolve().parent
    print(f"streambench {streambench.__version__} in {package}, Python {sys.version.split()[0]}")
    require((package / "pyx" / "operator.pxd").exists(), "the declarations for operators in Cython are not there")
    queries()
    functions(numba=False)
    if has_numba():
        functions(numba=True)


if __name__ == "__main__":
    main()
