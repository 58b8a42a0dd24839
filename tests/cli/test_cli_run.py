"""`streambench run` prints, writes and checks one run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hand_made import Call, write_sales

from streambench.host.limits import allowed_cpus
from streambench.lab.answers import oracle

COLUMNS = {
    "q1": ["hour", "item_a", "item_b", "n"],
    "q2": ["item_a", "item_b", "n"],
    "q3": ["purchased", "viewed", "n"],
    "q4": ["pages", "sessions", "pages_per_session"],
    "q15": ["category", "slope", "intercept"],
    "ysb": ["begins", "campaign", "n"],
}
EMITTED = COLUMNS | {"q4": ["pages", "sessions"], "q15": ["category", "n", "slope", "intercept"]}
DOUBLES = {"pages_per_session", "slope", "intercept"}
KEYS = {"query", "engine", "options", "tuples", "seconds", "throughput", "latency", "digest", "answer_ok"}
KEYS |= {"cpu_seconds", "cpu_seconds_per_million", "worker_cpu_seconds", "worker_shares", "disturbed", "host"}
KEYS |= {"sequence_ok", "peak_rss_bytes", "machine", "version", "schema", "parameter_set", "output_tuples"}
HOUR = 37_000 * 24
SLOW_IMPORTS = ("duckdb", "matplotlib", "pandas", "pyarrow.dataset", "streambench.lab.figures")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "ordered"])
@pytest.mark.parametrize("query", COLUMNS)
def test_answer_and_sequence_have_the_columns_of_their_query_in_order(
    call: Call, data: Path, tmp_path: Path, query: str, engine: str
) -> None:
    out, emitted = tmp_path / "answer.parquet", tmp_path / "sequence.parquet"
    called = call("run", query, "--data", data, "--engine", engine, "--out", out, "--emitted", emitted)
    assert called.code == 0, called.err
    for file, columns in ((out, COLUMNS), (emitted, EMITTED)):
        schema = pq.read_schema(file)
        assert schema.names == columns[query]
        assert all(each.type == (pa.float64() if each.name in DOUBLES else pa.int64()) for each in schema)
    assert pq.read_table(out).num_rows > 0


def test_answers_are_the_true_ones(call: Call, data: Path, tmp_path: Path) -> None:
    wanted: dict[str, list[tuple[Any, ...]]] = {
        "q1": [(HOUR, 0, 1, 1), (HOUR, 0, 2, 1), (HOUR + 24, 0, 1, 1)],
        "q2": [(0, 1, 1), (0, 2, 1), (1, 2, 1)],
        "q3": [(0, 1, 1), (0, 2, 1)],
        "q4": [(2, 1, 2.0)],
        "ysb": [(86_400 * 37_000, 5, 2), (86_400 * 37_000, 3, 1), (86_400 * 37_000 + 10, 5, 1)],
        "qjoin": [],
    }
    for query, rows in wanted.items():
        out = tmp_path / f"{query}.parquet"
        assert call("run", query, "--data", data, "--out", out, "--quiet").code == 0
        assert [tuple(row.values()) for row in pq.read_table(out).to_pylist()] == rows


def test_the_kit_has_constants_of_its_own(call: Call, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    called = call("run", "q1", "--data", data, "--parameters", "kit", "--out", out)
    assert called.code == 0
    assert "(kit)" in called.out
    assert pq.read_table(out).num_rows == 0  # no pair is sold more than 50 times


def test_the_summary_says_what_was_run_and_that_it_was_right(call: Call, data: Path) -> None:
    called = call("run", "q1", "--data", data, "--workers", 3, "--unit", 2, "--partitions", 5, "--plan", "2|3*|4")
    lines = called.out.splitlines()
    assert any(line.split() == ["query", "q1,", "items", "sold", "together", "(paper)"] for line in lines)
    assert any(line.split() == ["engine", "ordered,", "3", "workers,", "5", "partitions"] for line in lines)
    plan = "plan TableSource + KeepLines | TicketPairs | PairCounts x5 | TopPairs + TableSink, unit 2"
    assert any(" ".join(line.split()).replace("BatchSource", "TableSource") == plan for line in lines)
    assert any(line.split() == ["in", "flight", "at", "most", "1024", "units"] for line in lines)
    assert any(line.split() == ["tuples", "7", "in,", "3", "out"] for line in lines)
    assert any(line.split() == ["sequence", "verified", "yes"] for line in lines)
    assert any(line.split() == ["answer", "verified", "yes"] for line in lines)
    assert "answer: 3 rows" in called.out
    assert called.err == ""


def test_without_a_check_the_summary_does_not_claim_one(call: Call, data: Path) -> None:
    called = call("run", "q1", "--data", data, "--no-check")
    assert called.out.count("not checked") == 2


def test_quiet_prints_nothing(call: Call, data: Path) -> None:
    called = call("run", "q3", "--data", data, "--quiet")
    assert (called.code, called.out, called.err) == (0, "", "")


def test_json_holds_the_whole_result(call: Call, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert call("run", "q2", "--data", data, "--workers", 2, "--unit", 64, "--json", file).code == 0
    result = json.loads(file.read_text())
    assert set(result) >= KEYS
    assert set(result["latency"]) == {"mean", "p50", "p90", "p99", "p999", "max"}
    assert (result["query"], result["engine"], result["tuples"], result["schema"]) == ("q2", "ordered", 3, 2)
    assert (result["options"]["workers"], result["options"]["unit"]) == (2, 64)
    assert result["answer_ok"] is True
    assert result["sequence_ok"] is True
    assert result["peak_rss_bytes"] >= result["peak_memory_bytes"] >= result["memory_before_bytes"] > 1 << 20
    assert (result["core_round_trip_ns"] is None) == (len(allowed_cpus()) == 1)
    alone = json.loads(call("run", "q2", "--data", data, "--engine", "serial", "--json", "-").out)
    assert alone["core_round_trip_ns"] is None


def test_json_on_standard_output_is_alone_there(call: Call, data: Path) -> None:
    called = call("run", "q2", "--data", data, "--json", "-")
    assert json.loads(called.out)["query"] == "q2"
    assert "answer verified" in called.err
    assert json.loads(call("run", "q2", "--data", data, "--json", "-", "--quiet").out)["answer_ok"] is True


def test_engines_and_options_give_one_digest(call: Call, data: Path) -> None:
    choices = (
        ["--engine", "serial", "--unit", 1],
        ["--workers", 8, "--unit", 1, "--partitions", 100, "--no-fuse", "--no-pin"],
        ["--preload", "--credit", 2, "--time-slice", "1ms", "--half-life", "100ms"],
        ["--rate", "1k"],
    )
    found = [json.loads(call("run", "q1", "--data", data, "--json", "-", *words).out) for words in choices]
    assert len({result["digest"] for result in found}) == 1
    assert found[2]["options"]["credit"] == 2
    assert found[2]["options"]["preload"] is True


@pytest.mark.slow
@pytest.mark.parametrize(("text", "rate"), [("1e3", 1e3), ("2.5k", 2500.0), ("2M", 2e6), ("max", 0.0), ("900", 900.0)])
def test_rates_are_read_as_people_write_them(call: Call, data: Path, text: str, rate: float) -> None:
    result = json.loads(call("run", "q1", "--data", data, "--rate", text, "--json", "-").out)
    assert result["options"]["rate"] == rate
    assert (result["latency_end_to_end"] is None) == (rate == 0.0)


def test_laps_preload_by_themselves_and_say_so(call: Call, data: Path, tmp_path: Path) -> None:
    called = call("run", "q1", "--data", data, "--laps", 3)
    assert "note: --laps needs the stream in memory, so it is preloaded." in called.out
    assert "tuples" in called.out
    assert "21 in" in called.out
    assert "write it with --out" in called.out
    assert "answer: 1 row" in call("run", "q4", "--data", data, "--laps", 3).out
    out = tmp_path / "answer.parquet"
    assert call("run", "q1", "--data", data, "--laps", 3, "--out", out).code == 0
    assert pq.read_table(out).num_rows == 9


def test_options_without_effect_are_told(call: Call, data: Path, tmp_path: Path) -> None:
    called = call("run", "q1", "--data", data, "--engine", "serial", "--workers", 4, "--no-fuse")
    assert called.code == 0
    assert "note: the serial engine is one thread without queues: --workers, --fuse change nothing." in called.out
    called = call("run", "q1", "--data", data, "--workers", 1, "--plan", "cut", "--capacity", 9, "--place", "spread")
    assert "note: the engine ordered has neither scheduler nor stages: --capacity changes nothing." in called.out
    assert "note: one worker does all by itself: --plan changes nothing." in called.out
    assert "--place" not in called.out
    called = call("run", "q1", "--data", data, "--engine", "ordered", "--fuse", "--half-life", "100ms")
    assert "neither scheduler nor stages: --half-life, --fuse change nothing." in called.out
    called = call(
        "run", "q1", "--data", data, "--unit", 8, "--latency-target", "100ms", "--no-pin", "--place", "spread"
    )
    assert "note: the unit is given: --latency-target changes nothing." in called.out
    assert "note: with --no-pin the system places the workers: --place changes nothing." in called.out
    called = call("run", "q1", "--data", data, "--unit", 8, "--latency-target", "100ms", "--rate", "1M")
    assert "nothing" not in called.out, "it bounds what is in flight"
    called = call("run", "q1", "--data", data, "--heuristic", "ct", "--capacity", 9)
    assert "note: only the heuristic qst has a capacity: --capacity changes nothing." in called.out


def test_an_unsorted_stream_is_sorted_on_request(call: Call, data: Path) -> None:
    file = data / "store_sales" / "part-00000.parquet"
    digest = json.loads(call("run", "q1", "--data", data, "--json", "-").out)["digest"]
    table = pq.read_table(file)
    pq.write_table(table.take(list(reversed(range(table.num_rows)))), file)
    assert "is not in replay order: row 1 of" in call("run", "q1", "--data", data).error
    called = call("run", "q1", "--data", data, "--sort", "--json", "-")
    assert "note: --sort needs the stream in memory" in called.err
    assert json.loads(called.out)["digest"] == digest


def test_names_are_printed_and_written_where_there_are_dictionaries(call: Call, named: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    called = call("run", "q1", "--data", named, "--names", "--out", out)
    assert called.code == 0
    assert "Coffee" in called.out
    assert "Tea [hot]" in called.out
    rows = [tuple(row.values()) for row in pq.read_table(out).to_pylist()]
    assert rows == [
        (HOUR, "Bread", "Coffee", 1),
        (HOUR, "Bread", "Tea [hot]", 1),
        (HOUR + 24, "Bread", "Coffee", 1),
    ]
    assert call("run", "q15", "--data", named, "--names", "--out", out).code == 0
    assert set(pq.read_table(out).column("category").to_pylist()) == {"Drinks", "Food"}


def test_without_names_codes_are_written_and_names_printed(call: Call, named: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    called = call("run", "q3", "--data", named, "--out", out)
    assert "Bread" in called.out
    assert pq.read_table(out).to_pydict() == {"purchased": [0, 0], "viewed": [1, 2], "n": [1, 1]}


def test_names_without_dictionaries_change_nothing_and_say_so(call: Call, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    called = call("run", "q3", "--data", data, "--names", "--out", out)
    assert "note: the data has no dictionaries for this answer: --names changes nothing." in called.out
    assert pq.read_schema(out).field("viewed").type == pa.int64()


def test_a_wrong_answer_has_no_number_and_writes_no_file(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = oracle.expected

    def wrong(*arguments: Any, **options: Any) -> pa.Table:
        answer = true(*arguments, **options)
        return answer.set_column(3, "n", pa.array([9] * answer.num_rows, pa.int64()))

    monkeypatch.setattr(oracle, "expected", wrong)
    places = [tmp_path / name for name in ("answer.parquet", "sequence.parquet", "run.json")]
    called = call("run", "q1", "--data", data, "--out", places[0], "--emitted", places[1], "--json", places[2])
    assert called.code == 1
    assert "The run is wrong: Row 0 of q1's answer is" in called.error
    assert called.error.endswith("No file was written.")
    assert "tuples/s" not in called.out
    assert not any(place.exists() for place in places)


def test_a_difference_is_not_laid_at_the_engines_door_where_files_have_changed(
    call: Call, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from streambench.lab.workloads.workload import Workload

    mine = Path(shutil.copytree(data, tmp_path / "mine"))

    def changed(workload: Workload, laps: int) -> str:
        os.utime(workload.data.table("store_sales").files[0], ns=(0, 0))
        return "0" * 16

    monkeypatch.setattr(Workload, "serial_digest", changed)
    called = call("run", "q1", "--data", mine, "--preload", "--quiet")
    assert called.code == 1
    assert "changed while table store_sales was read: let its writer finish, then try again." in called.error
    assert "wrong" not in called.error


def test_a_wrong_sequence_is_told_by_its_row(call: Call, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from streambench.lab.workloads.workload import Workload

    monkeypatch.setattr(Workload, "serial_digest", lambda self, laps: "0" * 16)
    called = call("run", "q1", "--data", data)
    assert called.code == 1
    assert "q1's output sequence differs from the serial engine's: no row differs" in called.error


def test_old_files_are_replaced_and_links_followed(call: Call, data: Path, tmp_path: Path) -> None:
    out, link = tmp_path / "answer.parquet", tmp_path / "link.parquet"
    out.write_text("old")
    link.symlink_to(out)
    assert call("run", "q1", "--data", data, "--out", link).code == 0
    assert link.is_symlink()
    assert pq.read_table(out).num_rows == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.parquet", "data", "link.parquet"]


def test_an_empty_stream_is_run_like_any_other(call: Call, data: Path, tmp_path: Path) -> None:
    shutil.rmtree(data / "store_sales")
    write_sales(data, [])
    out = tmp_path / "answer.parquet"
    called = call("run", "q1", "--data", data, "--out", out, "--json", tmp_path / "run.json")
    assert called.code == 0, called.err
    assert "answer: 0 rows" in called.out
    assert pq.read_schema(out).names == COLUMNS["q1"]


@pytest.mark.slow
@pytest.mark.parametrize("query", ["q4", "qjoin"])
def test_a_run_that_is_not_checked_imports_nothing_that_only_checks_and_pictures_need(data: Path, query: str) -> None:
    """A gate starts a process for each run."""
    words = ["run", query, "--data", str(data), "--quiet", "--no-check", "--json", "-"]
    script = (
        "import sys\n"
        "from streambench.lab.cli import main\n"
        f"try: main({words})\n"
        "except SystemExit as left: assert not left.code\n"
        f"print({set(SLOW_IMPORTS)} & set(sys.modules), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stderr == "set()\n"
