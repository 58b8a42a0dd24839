"""Errors that a user can mend: the command line prints the sentence and exits, with no traceback."""

from __future__ import annotations


class StreambenchError(Exception):
    """One clear sentence that names what is wrong and what to do."""


class DataError(StreambenchError):
    """The data does not fit: a missing file or column, a wrong type, a stream out of order."""


class OptionError(StreambenchError):
    """An option that cannot be met, such as 0 workers."""
