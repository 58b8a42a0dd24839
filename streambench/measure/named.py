"""What is named to be measured: every query there is, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.errors import OptionError
from streambench.queries import query as queries


def named_queries(names: Sequence[str]) -> tuple[str, ...]:
    """``names`` in lower case. Raises OptionError for one that is no query's, or that is named twice."""
    found = tuple(name.lower() for name in names)
    for name in found:
        if name not in queries.names():
            raise OptionError(f"there is no query {name!r}: choose from {', '.join(queries.names())}.")
    require_once("query", found)
    return found


def require_once(what: str, values: Sequence[object]) -> None:
    """Raises OptionError for a value that is named twice, as it would be measured twice."""
    twice = next((each for place, each in enumerate(values) if each in values[:place]), None)
    if twice is not None:
        raise OptionError(f"{what} {twice} is named twice: name it once.")
