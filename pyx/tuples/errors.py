"""Errors that a user can mend: the command line prints the sentence and exits, with no traceback."""

from __future__ import annotations

import re
from collections.abc import Callable

_OPTION = re.compile(r"`([a-z][a-z0-9_-]*)`")


class StreambenchError(Exception):
    """One clear sentence that names what is wrong and what to do."""


class DataError(StreambenchError):
    """The data does not fit: a missing file or column, a wrong type, a stream out of order."""


class OptionError(StreambenchError):
    """An option that cannot be met, such as 0 workers.

    The sentence that it is made of names options between backticks, as callers from Python do: "`workers` must be 1 or
    more". They are read without the backticks; the command line has spellings of its own for them.
    """

    def __str__(self) -> str:
        return self.spelled(lambda name: name)

    def spelled(self, spelling: Callable[[str], str]) -> str:
        """The sentence, with every option by its ``spelling``."""
        return _OPTION.sub(lambda option: spelling(option[1]), super().__str__())


class UnfitDataError(DataError, ValueError):
    """Data that make no source, or that a source cannot go on with; a ValueError, too, as of any constructor."""


class UnfitTypeError(DataError, TypeError):
    """The same where the type is wrong; a TypeError, too."""


class UnfitOptionError(OptionError, ValueError):
    """An option of a source that cannot be met; a ValueError, too, as of any constructor."""
