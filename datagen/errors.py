"""What datagen and ingest refuse, in one clear sentence."""

from __future__ import annotations


class DatagenError(Exception):
    """Names what is wrong and what to do about it; the command line prints it without a traceback."""


class DatagenOptionError(DatagenError):
    """What was asked for cannot be, whatever the data: the exit code is 2."""
