"""Errors that a user can mend: the command line prints the sentence and exits, with no traceback."""

from streambench.pyx.tuples.errors import DataError, OptionError, StreambenchError

__all__ = ["DataError", "OptionError", "StreambenchError"]
