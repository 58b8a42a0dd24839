"""What `pip install streambench` leaves out, and which extra brings it."""

from __future__ import annotations

from importlib.util import find_spec

from streambench.errors import StreambenchError

EXTRAS = {
    "lab": ("allpairspy", "click", "duckdb", "jinja2", "matplotlib", "pandas", "psutil", "rich"),
    "snet": ("lark",),
    "spark": ("google", "pyspark"),
    "numba": ("numba",),
    "kafka": ("confluent_kafka",),
}
"""By extra: the packages, as they are imported."""


class MissingExtraError(StreambenchError, ImportError):
    """Something needs a package that is not installed."""

    def __init__(self, what: str, problem: ModuleNotFoundError) -> None:
        install = f"pip install 'streambench[{extra_of(problem)}]'"
        super().__init__(f"{what} needs {problem.name}, which is not installed: type `{install}`.")


def extra_of(problem: ModuleNotFoundError) -> str | None:
    """The extra that brings the module which is missing; None where none does."""
    package = (problem.name or "").partition(".")[0]
    return next((extra for extra, packages in EXTRAS.items() if package in packages), None)


def require(what: str, package: str) -> None:
    """Raise MissingExtraError where the package is not installed that this needs."""
    if find_spec(package) is None:
        raise MissingExtraError(what, ModuleNotFoundError(name=package))
