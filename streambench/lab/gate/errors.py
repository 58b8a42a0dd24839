"""What keeps a gate from being decided."""

from __future__ import annotations

from streambench.errors import StreambenchError


class NoVerdictError(StreambenchError):
    """Nothing about the two commits' speed: no such revision, a build that fails, a base without these commands."""


class UnknownCommandError(NoVerdictError):
    """A side does not know a command or an option."""


class NoAnswerError(StreambenchError):
    """A run that failed, hung, or gave a wrong answer."""
