"""`join`: the exact rule is what DuckDB answers, and nothing but the question changes a byte of the output."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import Call
from join_oracle import N, by_duckdb, sides

from streambench.joins.dealing import dealt
from streambench.lab.show import join_output
from streambench.pyx.join.join_crew import TIERS

BANDS = ("--band", "x:a:10", "--band", "y:b:20")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with both streams whole, and in up to five files a side."""
    monkeypatch.chdir(tmp_path)
    for name, table in zip(("l", "r"), sides(), strict=True):
        pq.write_table(table, f"{name}.parquet")
        for n in range(2, 6):
            for k, rows in enumerate(dealt(table["ts"].to_numpy(), n)):
                pq.write_table(table.take(rows), f"{name}{n}-{k}.parquet")
    return tmp_path


def cut(name: str, n: int) -> str:
    """A side in ``n`` files."""
    return ",".join(f"{name}{n}-{k}.parquet" for k in range(n)) if n > 1 else f"{name}.parquet"


def told(call: Call, *words: Any) -> dict[str, Any]:
    called = call("join", *words, "--json", "-")
    assert called.code == 0, called.err
    found: dict[str, Any] = json.loads(called.out)
    return found


def test_the_output_is_what_duckdb_answers(call: Call) -> None:
    called = call(
        "join", "l.parquet", "r.parquet", *BANDS, "--equal", "user:user", "--window", 210, "--out", "o.parquet"
    )
    assert called.code == 0, called.err
    condition = "abs(x - a) <= 10 AND abs(y - b) <= 20 AND left_side.user = right_side.user"
    want = by_duckdb(*sides(), condition, 210)
    got = pq.read_table("o.parquet")
    assert len(got) > 10
    assert got.column_names == [*want.column_names[:-1], "user_right"]
    assert [each.to_pylist() for each in got.columns] == [each.to_pylist() for each in want.columns]
    assert (got.schema.field("y").type, got.schema.field("z").type) == (pa.float32(), pa.binary(20))
    lines = {" ".join(line.split()) for line in called.out.splitlines()}
    assert {"left 600 rows", "right 600 rows", "written: o.parquet"} <= lines


@pytest.mark.parametrize(("rule", "window"), [("exact", 21), ("three-step", 14), ("count", 40)])
def test_tier_threads_sources_and_files_change_no_byte(call: Call, here: Path, rule: str, window: int) -> None:
    ways = [(tier, 1 + k % 4, 1 + k % 3, 1 + (k + 1) % 5) for k, tier in enumerate((*TIERS, "auto", "index", "codes"))]
    written, shown = set(), set()
    for tier, threads, sources, n in ways:
        how = ("--tier", tier, "--workers", threads, "--sources", sources, "--rule", rule, "--window", window)
        called = call("join", cut("l", n), cut("r", 6 - n), *BANDS, *how, "--out", "o.parquet")
        assert called.code == 0, called.err
        written.add((here / "o.parquet").read_bytes())
        lines = dict(line.split(maxsplit=1) for line in called.out.splitlines())
        assert f", {threads} thread" in lines["tier"]
        shown.add((lines["pairs"].strip(), lines["digest"].strip()))
    assert (len(written), len(shown)) == (1, 1)
    assert len(pq.read_table("o.parquet")) > 5


def test_json_says_what_was_joined_and_how_fast(call: Call) -> None:
    found = told(call, "l.parquet", cut("r", 2), "--window", 7, "--workers", 3, "--tier", "scan", "--sources", 2)
    assert (found["tier"], found["threads"], len(found["per_thread"]), found["sources"]) == ("scan", 3, 3, 2)
    assert sum(found["per_thread"]) == found["comparisons"]
    left, right = (np.asarray(table["ts"]) for table in sides())
    near = abs(left[:, None] - right[None, :]) <= 7
    assert found["comparisons"] == found["pairs"] == near.sum()
    assert found["window_tuples"] <= N
    assert found["rows"] == {"left": N, "right": N}
    assert found["late"] == {"left": [0], "right": [0, 0]}
    assert found["streams"] == {"left": ["l.parquet"], "right": ["r2-0.parquet", "r2-1.parquet"]}
    assert (found["kind"], found["rule"], found["window"], found["slack"]) == ("join", "exact", 7, 0)
    assert found["comparisons_per_second"] * found["seconds"] == pytest.approx(found["comparisons"])
    assert found["tuples_per_second"] * found["seconds"] == pytest.approx(2 * N)
    assert found["cpu_seconds"] == pytest.approx(sum(found["worker_cpu_seconds"]))
    assert found["cpu_seconds_per_million"] == pytest.approx(found["cpu_seconds"] / (2 * N) * 1e6)
    assert found["worker_shares"] == pytest.approx([each / found["comparisons"] for each in found["per_thread"]])
    assert found["peak_memory_bytes"] >= found["memory_before_bytes"] > 1 << 20
    assert {"created", "version", "git", "machine"} <= set(found)


def test_without_out_the_first_rows_are_printed(call: Call, here: Path) -> None:
    before = sorted(here.iterdir())
    called = call("join", "l.parquet", "r.parquet", "--window", 7)
    assert called.code == 0
    assert " rows, the first 10\n" in called.out
    assert "│ user_right" not in called.out
    assert "user_right ┃" in called.out
    assert sorted(here.iterdir()) == before
    assert call("join", "l.parquet", "r.parquet", "--window", 7, "--quiet").out == ""


def test_a_large_output_is_written_slice_by_slice(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    how = ("l.parquet", "r.parquet", *BANDS, "--window", 50, "--out", "o.parquet")
    assert call("join", *how).code == 0
    whole = pq.read_table("o.parquet")
    monkeypatch.setattr(join_output, "SLICE_ROWS", 7)
    assert call("join", *how).code == 0
    assert pq.read_table("o.parquet").equals(whole)
    assert pq.read_metadata("o.parquet").num_row_groups == -(-len(whole) // 7) > 2


def test_late_tuples_are_left_out_and_told_by_file(call: Call) -> None:
    pq.write_table(pa.table({"ts": [1, 9, 4, 10], "k": [1, 2, 3, 4]}), "early.parquet")
    pq.write_table(pa.table({"ts": [5, 6, 1, 2], "k": [5, 6, 7, 8]}), "late.parquet")
    called = call("join", "early.parquet,late.parquet", "r.parquet", "--window", 1, "--slack", 4)
    assert called.code == 0
    late = "late tuples were left out: 1 of early.parquet, 1 of late.parquet; slack is 4, a larger one takes them in."
    assert f"note: {late}\n" in called.out
    found = told(call, "early.parquet,late.parquet", "r.parquet", "--window", 1, "--slack", 4, "--sources", 3)
    assert found["late"] == {"left": [1, 1], "right": [0]}
    assert found["rows"]["left"] == 8
    assert "note" not in call("join", "early.parquet,late.parquet", "r.parquet", "--window", 1, "--slack", 5).out


@pytest.mark.parametrize("name", ["empty.parquet", "empty.parquet,empty.parquet"])
def test_empty_files_give_an_empty_result_of_the_right_schema(call: Call, name: str) -> None:
    pq.write_table(pq.read_table("r.parquet").slice(0, 0), "empty.parquet")
    called = call("join", "l.parquet", name, *BANDS, "--window", 300, "--out", "o.parquet")
    assert called.code == 0, called.err
    assert call("join", "l.parquet", "r.parquet", *BANDS, "--window", 300, "--out", "some.parquet").code == 0
    empty, some = pq.read_table("o.parquet"), pq.read_table("some.parquet")
    assert (len(empty), len(some) > 0) == (0, True)
    assert empty.schema == some.schema


def test_windows_and_slack_may_be_durations_where_time_is_one(call: Call) -> None:
    start = datetime.datetime(2024, 1, 1)
    when = [start + datetime.timedelta(seconds=each) for each in (0, 290, 310, 300)]
    pq.write_table(pa.table({"ts": pa.array(when, pa.timestamp("ms")), "k": pa.array("abca")}), "a.parquet")
    pq.write_table(pa.table({"when": pa.array(when[:1], pa.timestamp("ms"))}), "b.parquet")
    how = ("a.parquet", "b.parquet", "--time", "ts:when", "--slack", "10s")
    assert told(call, *how, "--window", "5min", "--out", "o.parquet")["window"] == 300_000
    assert pq.read_table("o.parquet")["ts"].to_pylist() == [when[0], when[1], when[3]]
    assert told(call, *how, "--window", 300_000, "--out", "o.parquet")["pairs"] == 3
    assert told(call, *how, "--window", "1d", "--band", "ts:when:5min")["pairs"] == 3


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 3,000 pairs are many."""
    monkeypatch.setattr("streambench.joins.matches.MANY_PAIRS", 3000)


ALL_PAIRS = ("l.parquet", "r.parquet", "--window", 5000)  # 360,000


@pytest.mark.usefixtures("many")
def test_many_pairs_want_a_yes_where_nobody_can_be_asked(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(here.iterdir())
    called = call("join", *ALL_PAIRS, "--out", "o.parquet")
    assert (called.code, called.out) == (2, "")
    assert called.error == (
        "streambench: about 360,000 pairs are expected: say --yes if you want them all, or add a --band or an --equal, "
        "or choose a shorter --window."
    )
    assert sorted(here.iterdir()) == before
    monkeypatch.setattr("sys.stdin", None)  # it is closed
    assert call("join", *ALL_PAIRS).error == called.error
    assert told(call, *ALL_PAIRS, "--yes")["pairs"] == 360_000
    for few in ((*ALL_PAIRS, "--band", "x:a:0", "--equal", "user:user"), (*ALL_PAIRS[:3], 0)):
        assert 0 < told(call, *few)["pairs"] < 3000


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2)])
def test_many_pairs_are_asked_for_on_a_terminal(
    call: Call, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("streambench.lab.cli.join._on_a_terminal", lambda: True)

    def answered(question: str, err: bool) -> bool:
        asked.append(question)
        return answer == "y"

    monkeypatch.setattr("click.confirm", answered)
    called = call("join", *ALL_PAIRS)
    assert called.code == code
    assert asked == ["About 360,000 pairs are expected. Join all the same?"]
    if code:
        assert called.error == (
            "streambench: nothing was joined: add a --band or an --equal, or choose a shorter --window."
        )
    assert call("join", *ALL_PAIRS, "--quiet").code == 2
    assert len(asked) == 1


def test_dictionaries_come_as_their_values_so_that_files_may_encode_differently(call: Call) -> None:
    for k, words in enumerate((["a", "b"], ["c", "a"])):
        pq.write_table(pa.table({"ts": [k, k], "w": pa.array(words).dictionary_encode()}), f"d{k}.parquet")
    assert call("join", "d0.parquet,d1.parquet", "d1.parquet", "--equal", "w:w", "--window", 9, "--out", "o").code == 0
    assert pq.read_table("o").to_pydict() == {"ts": [1, 1, 1], "w": ["c", "a", "a"], "w_right": ["c", "a", "a"]}
    assert pq.read_schema("o").field("w").type == pa.string()


def test_ctrl_c_in_the_middle_of_writing_leaves_no_file(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_output, "SLICE_ROWS", 100)

    def interrupted(rows: int) -> None:
        if rows > 200:
            raise KeyboardInterrupt

    monkeypatch.setattr(
        "streambench.lab.show.console.LiveLine.step", lambda line, doing, done, *more: interrupted(done)
    )
    Path("old.json").write_text("old")
    before = sorted(here.iterdir())
    called = call("join", cut("l", 5), "r.parquet", "--window", 9, "--out", "o.parquet", "--json", "old.json")
    assert called.code == 130
    assert called.error == "streambench: interrupted; nothing was left half-written"
    assert sorted(here.iterdir()) == before
    assert Path("old.json").read_text() == "old"


def test_a_disk_that_becomes_full_leaves_no_file(
    call: Call, here: Path, room: Callable[[int], AbstractContextManager[None]]
) -> None:
    before = sorted(here.iterdir())
    with room(8192):
        called = call("join", "l.parquet", "r.parquet", "--window", 500, "--out", "o.parquet")
    assert called.code == 1
    assert called.error.startswith("streambench: o.parquet cannot be written (")
    assert called.error.endswith("make room, or choose another place; no output was kept.")
    assert sorted(here.iterdir()) == before


EDGES: dict[str, dict[str, Any]] = {
    "unsorted": {"ts": [5, 1], "a": [1, 2]},
    "null": {"ts": pa.array([1, None], pa.int64()), "a": [1, 2]},
    "null-key": {"ts": [1, 2], "a": pa.array([1, None], pa.int64())},
    "text": {"ts": ["1", "2"], "a": [1, 2]},
    "real": {"ts": [1.0, 2.0], "a": [1, 2]},
    "moment": {"ts": [datetime.datetime(2024, 1, 1)], "a": [1]},
    "other": {"ts": [1, 2], "a": ["1", "2"]},
}
GOOD = ["l.parquet", "r.parquet", "--window", 3]


@pytest.mark.parametrize(
    ("code", "words", "sentence"),
    [
        (
            1,
            ["l.parquet", "none.parquet"],
            "none.parquet cannot be read as Parquet (No such file or directory): name a",
        ),
        (1, ["l.parquet", "not.parquet"], "not.parquet cannot be read as Parquet ("),
        (2, ["l.parquet,", "r.parquet"], "LEFT takes Parquet files, with commas, not 'l.parquet,'."),
        (2, ["l.parquet", ""], "RIGHT takes Parquet files, with commas, not ''."),
        (2, ["l.parquet"], "missing argument 'RIGHT': see `streambench join --help`."),
        (
            1,
            ["l.parquet", "unsorted.parquet"],
            "column ts of unsorted.parquet must never decrease, but 1 follows 5: sort",
        ),
        (1, ["l.parquet", "null.parquet"], "column ts of the right side has nulls, which match nothing: leave their"),
        (1, ["l.parquet", "text.parquet"], "column ts of the right side must hold integers or times, not string."),
        (1, ["l.parquet", "real.parquet"], "column ts of the right side must hold integers or times, not double."),
        (1, ["l.parquet", "moment.parquet"], "the sides' times are int64 and timestamp["),
        (1, ["l.parquet", "null-key.parquet", "--band", "x:a:1"], "column a of the right side has nulls, which match"),
        (
            1,
            ["l.parquet", "null-key.parquet,other.parquet"],
            "other.parquet has the columns ts (int64), a (string), but",
        ),
        (1, ["l.parquet", "twice.parquet"], "twice.parquet has several columns 'a': rename all but one."),
        (1, [*GOOD, "--time", "when"], "the left side has no column 'when'; it has ts, x, y, z, user."),
        (1, [*GOOD, "--band", "x:q:1"], "the right side has no column 'q'; it has ts, a, b, c, d, user."),
        (1, [*GOOD, "--band", "x:user:1"], "a band takes integers, float32, float64 or times, and column user holds"),
        (1, [*GOOD, "--equal", "y:b"], "y and b hold float and float, of which equality is not asked: take a band"),
        (
            2,
            [*GOOD, "--band", "x:a"],
            "--band takes a column of each side and a width, such as x:a:10, not 'x:a'; a col",
        ),
        (2, [*GOOD, "--band", "x::1"], "--band takes a column of each side and a width, such as x:a:10, not 'x::1'; a"),
        (
            2,
            [*GOOD, "--equal", "user"],
            "--equal takes a column of each side, such as u:v, not 'user'; a column with a",
        ),
        (
            2,
            [*GOOD, "--time", "a:b:c"],
            "--time takes a column, or one of each side such as ts:when, not 'a:b:c'; a col",
        ),
        (2, [*GOOD, "--band", "x:a:-1"], "--band x:a:-1: the width must be a number from 0 on, or of times a span"),
        (2, [*GOOD, "--band", "x:a:nan"], "--band x:a:nan: the width must be a number from 0 on, or of times a span"),
        (2, [*GOOD, "--band", "x:a:ten"], "--band x:a:ten: the width must be a number from 0 on, or of times a span"),
        (2, [*GOOD, "--tier", "index"], "an index needs a band or an equality: choose another tier."),
        (2, [*GOOD, "--tier", "gpu"], "invalid value for '--tier': 'gpu' is not one of"),
        (2, [*GOOD, "--rule", "two-step"], "invalid value for '--rule': 'two-step' is not one of"),
        (2, [*GOOD, "--workers", 0], "--workers must be at least 1, not 0."),
        (2, [*GOOD, "--workers", 1025], "--workers must be at most 1024, not 1025."),
        (2, [*GOOD, "--sources", 0], "--sources must be at least 1, not 0."),
        (2, [*GOOD, "--sources", 1025], "--sources must be at most 1024, not 1025."),
        (2, [*GOOD, "--window", -1], "--window must be a whole number from 0 to 2**63 - 1"),
        (2, [*GOOD, "--window", "1.5"], "--window must be a whole number from 0 to 2**63 - 1"),
        (2, [*GOOD, "--window", 2**63], "--window must be a whole number from 0 to 2**63 - 1"),
        (
            2,
            [*GOOD, "--window", "5min"],
            "--window is 5min, but the column counts in no unit of time: give a plain number.",
        ),
        (
            2,
            [*GOOD, "--window", "5s", "--rule", "count"],
            "--window 5s: the rule count counts tuples, so give a number",
        ),
        (2, [*GOOD, "--slack", "x"], "--slack must be a whole number from 0 to 2**63 - 1"),
        (2, [*GOOD, "--out", "-"], "--out cannot be written to standard output: name a file."),
        (2, [*GOOD, "--out", "x", "--json", "x"], "--out and --json name the same file x: give each its own."),
        (1, [*GOOD, "--out", "none/x"], "--out none/x has no folder "),
        (1, [*GOOD, "--out", "r.parquet"], "--out r.parquet is one of the files to be joined: choose another place."),
        (1, [*GOOD, "--json", "l.parquet"], "--json l.parquet is one of the files to be joined: choose another place."),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    call: Call, here: Path, code: int, words: list[Any], sentence: str
) -> None:
    for name, columns in EDGES.items():
        pq.write_table(pa.table(columns), f"{name}.parquet")
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 3, names=["ts", "a", "a"]), "twice.parquet")
    Path("not.parquet").write_text("ts,a\n1,2\n")
    before = {each: each.read_bytes() for each in here.iterdir()}
    called = call("join", *words, *(() if "--window" in words else ("--window", 3)))
    assert (called.code, called.out) == (code, "")
    assert called.error.startswith(f"streambench: {sentence}"), called.error
    assert {each: each.read_bytes() for each in here.iterdir()} == before


def test_nulls_beside_the_keys_come_out_as_they_are(call: Call) -> None:
    pq.write_table(pa.table({"ts": [1, 2], "k": [1, 2], "note": ["a", None]}), "a.parquet")
    assert call("join", "a.parquet", "a.parquet", "--equal", "k:k", "--window", 0, "--out", "o").code == 0
    assert pq.read_table("o")["note"].to_pylist() == ["a", None]
