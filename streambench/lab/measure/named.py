"""What is named to be measured: queries that there are, own pipelines, and nothing twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from streambench.errors import OptionError
from streambench.lab.workloads.pipeline_function import is_own
from streambench.queries import query as queries


def named_queries(names: Sequence[str]) -> tuple[str, ...]:
    """``names`` in lower case. Raises OptionError for one that is no query's, or that is named twice."""
    lowered = tuple(name.lower() for name in names)
    for name in lowered:
        if name not in queries.names():
            raise OptionError(f"there is no query {name!r}: choose from {', '.join(queries.names())}.")
    require_once("query", lowered)
    return lowered


def named_workloads(names: Sequence[str]) -> tuple[str, ...]:
    """The same, with own pipelines, ``module:function``, among them. What they are called is not looked at here."""
    named_queries([name for name in names if not is_own(name)])
    require_once("own pipeline", [name for name in names if is_own(name)])
    return tuple(name if is_own(name) else name.lower() for name in names)


def require_once(what: str, values: Sequence[object]) -> None:
    """Raises OptionError for a value that is named twice, as it would be measured twice."""
    twice = next((each for place, each in enumerate(values) if each in values[:place]), None)
    if twice is not None:
        raise OptionError(f"{what} {twice} is named twice: name it once.")


def require_choices(what: str, values: Sequence[str], choices: Collection[str]) -> None:
    """Raises OptionError for a value that is none of the ``choices``, or that is named twice."""
    for each in values:
        if each not in choices:
            raise OptionError(f"there is no {what} {each!r}: choose from {', '.join(choices)}.")
    require_once(what, values)
