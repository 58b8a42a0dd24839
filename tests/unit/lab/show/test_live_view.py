"""`run --live` as a recorded console has it: figures of a look, lines where nothing is drawn, a terminal left whole."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from streambench.execution.glance import Glance, Row, Waiting
from streambench.lab.show.live_view import LiveView, line, picture

SHOW_CURSOR = "\x1b[?25h"


def at(seconds: float, tuples: int, rows: tuple[Row, ...] = ()) -> Glance:
    return Glance(seconds, tuples, markers=tuples // 100, marker_seconds=tuples * 2.5e-6, rows=rows)


def row(name: str, k: int, waiting: Waiting | None) -> Row:
    return Row((name,), tuples_in=1000 * k, tuples_out=500 * k, seconds=0.02 * k, visits=10 * k, waiting=waiting)


def terminal() -> tuple[Console, io.StringIO]:
    written = io.StringIO()
    return Console(file=written, force_terminal=True, width=100, height=30, _environ={"TERM": "xterm"}), written


def test_a_picture_has_rates_waiting_and_latencies_of_the_time_between_two_looks() -> None:
    console = Console(record=True, width=100, file=io.StringIO())
    before = at(1.0, 1000, (row("KeepLines", 1, Waiting(0, 10)), row("Pairs", 1, None)))
    now = at(3.0, 5000, (row("KeepLines", 5, Waiting(6, 50)), row("Pairs", 5, None)))
    console.print(picture("q1 (ordered)", 8000, before, now, "checking"))
    head, columns, first, second, caption = (each.split() for each in console.export_text().splitlines())
    assert " ".join(head) == "q1 (ordered): 5.00 k of 8.00 k tuples, 2.00 k/s, latency 250 µs"
    assert columns == ["operators", "tuples/s", "out/in", "takes", "waiting", "waits", "at", "work"]
    # 4,000 tuples in 2 s; half come out; 80 ms in 40 visits; 6 wait where 40 pass in 2 s
    assert first == ["KeepLines", "2.00", "k", "0.5", "2.00", "ms", "6", "300", "ms"]
    assert second == ["Pairs", "2.00", "k", "0.5", "2.00", "ms"]
    assert caption == ["checking"]


def test_workers_and_shards_are_told_where_there_are_any() -> None:
    console = Console(record=True, width=100, file=io.StringIO())
    rows = (row("Stage", 1, Waiting(3, 10, workers=2)), row("Sharded", 1, Waiting(3, 10, shards=8)))
    console.print(picture("x", 1000, at(0.0, 0), at(1.0, 500, rows)))
    assert [each.split()[-1] for each in console.export_text().splitlines()[2:]] == ["2", "x8"]


def test_nothing_that_passes_is_no_rate_and_no_latency() -> None:
    idle = (row("Idle", 1, Waiting(4, 10)),)
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(picture("x", 1000, at(1.0, 500, idle), at(2.0, 500, idle)))
    told, _, cells = console.export_text().splitlines()
    assert told.rstrip() == "x: 500 of 1.00 k tuples, 0.00/s, latency -"
    assert cells.split() == ["Idle", "0.00", "-", "-", "4", "-"]


def test_where_there_is_no_terminal_there_are_lines_now_and_then_and_one_at_the_end() -> None:
    written = io.StringIO()
    with LiveView(Console(file=written, width=100), "q1 (serial)", 1000) as view:
        for tenth in range(1, 51):
            view.look(at(tenth / 10, 20 * tenth))
        view.look(at(5.0, 1000))  # the same moment once more
    lines = written.getvalue().splitlines()
    assert [each.split()[2] for each in lines] == ["400", "800", "1.00"]  # at 2 s, 4 s, and all
    assert all("200/s" in each for each in lines)
    assert "\x1b" not in written.getvalue()


def test_a_terminal_is_left_whole_when_a_run_is_interrupted() -> None:
    console, written = terminal()

    def interrupted() -> None:
        with LiveView(console, "q1 (serial)", 1000) as view:
            view.look(at(0.1, 20))
            assert "keeps no counters" in written.getvalue()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    after = written.getvalue()
    assert after.rindex(SHOW_CURSOR) > after.rindex("tuples"), "the cursor is shown again, after the last picture"
    assert "\x1b[2K" in after[after.rindex("tuples") :], "the picture is gone"


def test_a_look_at_the_same_moment_has_no_rate_to_tell() -> None:
    console, written = terminal()
    with LiveView(console, "x", 1000) as view:
        view.look(at(0.0, 0))
    assert "tuples" not in written.getvalue()
    assert line("x", 10, at(0.0, 0), at(2.0, 4)).startswith("x: 4.00 of 10.0 tuples, 2.00/s")
