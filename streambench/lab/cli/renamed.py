"""Options that have got another name: the older one is still taken, and not shown."""

from __future__ import annotations

from copy import copy

import click


class Renamed(click.Option):
    """An option of which help and complaints show the first spelling only."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The line of the help."""
        return click.Option.get_help_record(self._shown(), ctx)

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """What a complaint calls it."""
        return click.Option.get_error_hint(self._shown(), ctx)

    def _shown(self) -> Renamed:
        shown = copy(self)
        shown.opts, shown.secondary_opts = self.opts[:1], self.secondary_opts[:1]
        return shown
