"""`run --live`: rates, what waits where, and latencies, while a run goes on.

On a terminal a table that is drawn again with every look, by the thread that watches the run: no other is started.
Where there is no terminal, or one that cannot move its cursor, a line now and then, so that logs stay readable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from streambench.execution.glance import Glance, Row, Spectator
from streambench.lab.record.summary import duration, human

SPAN = 1.0  # seconds that the table's rates are of
LINE_EVERY = 2.0  # seconds between two lines, which their rates are of
NOTHING = Glance(seconds=0.0, tuples=0, markers=0, marker_seconds=0.0, rows=())
NO_ROWS = "the serial engine keeps no counters that another thread may read"


class LiveView(Spectator):
    """A context in which a run of ``total`` tuples, called ``title``, is shown on ``console``.

    ``then``: what is said when all tuples are through, since what follows takes time, too.
    """

    def __init__(self, console: Console, title: str, total: int, then: str | None = None) -> None:
        self._console, self._title, self._total, self._then = console, title, total, then
        self._drawn = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._span = SPAN if self._drawn else LINE_EVERY
        self._looks = deque([NOTHING])
        self._told = 0.0

    def __enter__(self) -> LiveView:
        if self._drawn:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()  # shows the cursor again, whatever has happened

    def look(self, glance: Glance) -> None:
        """Show it; rates are those of the last second or two."""
        if glance.seconds <= self._looks[-1].seconds:
            return
        self._looks.append(glance)
        while len(self._looks) > 2 and glance.seconds - self._looks[1].seconds >= self._span:
            self._looks.popleft()
        before, through = self._looks[0], glance.tuples >= self._total
        if self._drawn:
            caption = self._then if through else None
            self._live.update(picture(self._title, self._total, before, glance, caption), refresh=True)
        elif through or glance.seconds - self._told >= LINE_EVERY:
            self._console.print(line(self._title, self._total, before, glance), soft_wrap=True, highlight=False)
            self._told = glance.seconds


def picture(title: str, total: int, before: Glance, now: Glance, caption: str | None = None) -> Group:
    """The table of a look, with the line above it; rates and latencies are those between the two looks."""
    table = Table(box=None, pad_edge=False)
    table.add_column("operators", no_wrap=True)
    for name in ("tuples/s", "out/in", "takes", "waiting", "waits", "at work"):
        table.add_column(name, justify="right")
    olds: Sequence[Row | None] = before.rows if len(before.rows) == len(now.rows) else [None] * len(now.rows)
    for row, old in zip(now.rows, olds, strict=True):
        table.add_row(*_cells(row, old, now.seconds - before.seconds))
    parts: list[Text | Table] = [Text(line(title, total, before, now), overflow="fold")]
    parts.append(table if now.rows else Text(NO_ROWS, style="dim"))
    if caption is not None:
        parts.append(Text(caption, style="dim"))
    return Group(*parts)


def line(title: str, total: int, before: Glance, now: Glance) -> str:
    """ "q1 (ordered): 1.2 M of 6.8 M tuples, 3.4 M/s, latency 250 µs", the latency as the mean of markers that left."""
    rate = (now.tuples - before.tuples) / (now.seconds - before.seconds)
    markers = now.markers - before.markers
    latency = duration((now.marker_seconds - before.marker_seconds) / markers) if markers else "-"
    return f"{title}: {human(now.tuples)} of {human(total)} tuples, {human(rate)}/s, latency {latency}"


def _cells(row: Row, old: Row | None, elapsed: float) -> tuple[str, ...]:
    tuples_in = row.tuples_in - (old.tuples_in if old else 0)
    emitted = row.tuples_out - (old.tuples_out if old else 0)
    visits = row.visits - (old.visits if old else 0)
    spent = max(0.0, row.seconds - (old.seconds if old else 0.0))  # an estimate, which may go back a little
    return (
        " + ".join(row.operators),
        human(tuples_in / elapsed),
        f"{emitted / tuples_in:.3g}" if tuples_in else "-",
        duration(spent / visits) if spent > 0.0 and visits else "-",
        *_waiting(row, old, elapsed),
    )


def _waiting(row: Row, old: Row | None, elapsed: float) -> tuple[str, str, str]:
    """What waits; for how long, by Little's law: what waits, divided by what passes in a second; and who is there."""
    if row.waiting is None:
        return "", "", ""
    now, then = row.waiting, old.waiting if old else None
    passed = now.passed - (then.passed if then else 0)
    at_work = f"{now.workers}" if now.workers is not None else f"x{now.shards}" if now.shards > 1 else ""
    return f"{now.units:,}", duration(now.units * elapsed / passed) if now.units and passed > 0 else "-", at_work
