"""Result files are append-only, whole or absent, and free of names; wrong runs have no number."""

import errno
import io
import json
import re
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from committed import committed_results
from rich.console import Console

from streambench.errors import StreambenchError
from streambench.lab.record import results
from streambench.lab.record.kind_command import command_of
from streambench.lab.record.newest_result import newest
from streambench.lab.record.statistics import order_statistic
from streambench.lab.record.summary import duration, human, ratio_text
from streambench.lab.show.tables import bench as table

ROOT = Path(__file__).resolve().parents[4]
MACHINE = {"cpu": {"model": "Example 9000", "allowed": [0, 1], "hypervisor": "none"}}


def run(query: str, engine: str, workers: int, repeat: int, throughput: float, **more: Any) -> dict[str, Any]:
    return {
        "query": query,
        "engine": engine,
        "workers": workers,
        "unit": 1024 if engine == "ordered" else None,
        "partitions": 64,
        "repeat": repeat,
        "tuples": 1000,
        "throughput": throughput,
        "latency": {"p50": 1e-5 * (repeat + 1), "p99": 1e-4, "p999": None},
        "sequence_ok": True,
        "answer_ok": True,
        **more,
    }


def paired(wrong: tuple[str, int] | None = None) -> list[dict[str, Any]]:
    """Three repeats of q1 in which ordered is twice serial, whatever the noise of the repeat."""
    found = []
    for repeat, noise in enumerate((1.0, 0.5, 3.0)):
        for engine, factor in (("serial", 100.0), ("ordered", 200.0)):
            right = (engine, repeat) != wrong
            found.append(run("q1", engine, 1, repeat, factor * noise, sequence_ok=right))
    return found


def document(runs: list[dict[str, Any]], **parameters: Any) -> dict[str, Any]:
    return results.document("bench", parameters, runs, MACHINE, ["a warning"])


def test_ratios_are_paired_by_repeat() -> None:
    rows = {row["engine"]: row for row in results.summarise(paired())}
    assert rows["ordered"]["ratio"] == {"median": 2.0, "low": 2.0, "high": 2.0, "n": 3, "coverage": None}
    assert rows["serial"]["ratio"]["median"] == 1.0
    assert rows["ordered"]["throughput"] == 200.0
    assert rows["ordered"]["latency"]["p50"] == 2e-5
    assert rows["ordered"]["latency"]["p999"] is None
    assert rows["ordered"]["verified"]


def test_a_wrong_run_takes_the_number_from_its_row() -> None:
    rows = {row["engine"]: row for row in results.summarise(paired(wrong=("ordered", 1)))}
    assert rows["ordered"]["throughput"] is rows["ordered"]["ratio"] is rows["ordered"]["latency"] is None
    assert (rows["ordered"]["wrong"], rows["ordered"]["verified"]) == (1, False)
    assert rows["serial"]["verified"]


def test_a_wrong_serial_run_takes_the_ratio_from_all_rows_of_its_query() -> None:
    runs = paired(wrong=("serial", 2)) + [run("q2", engine, 1, 0, 5.0) for engine in ("serial", "ordered")]
    rows = {(row["query"], row["engine"]): row for row in results.summarise(runs)}
    assert rows["q1", "ordered"]["ratio"] is None
    assert rows["q1", "ordered"]["throughput"] == 200.0
    assert rows["q2", "ordered"]["ratio"]["median"] == 1.0


@pytest.mark.parametrize("field", ["sequence_ok", "answer_ok"])
def test_a_run_that_was_not_checked_is_not_verified(field: str) -> None:
    runs = paired()
    for one in runs:
        del one[field]
    assert not any(row["verified"] for row in results.summarise(runs))


def test_runs_over_different_streams_are_never_paired() -> None:
    runs = [run("q1", "serial", 1, 0, 100.0), run("q1", "ordered", 1, 0, 900.0, tuples=999)]
    assert results.summarise(runs)[1]["ratio"] is None


def test_rows_come_by_query_number_with_serial_first() -> None:
    runs = [run(query, engine, 1, 0, 1.0) for query in ("q15", "q2", "q1") for engine in ("ordered", "serial")]
    rows = [(row["query"], row["engine"]) for row in results.summarise(runs)]
    assert rows == [(query, engine) for query in ("q1", "q2", "q15") for engine in ("serial", "ordered")]


def test_the_table_says_wrong_where_a_run_was_wrong() -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(table(results.summarise(paired(wrong=("ordered", 1)))))
    text = console.export_text()
    ordered = next(line for line in text.splitlines() if "ordered" in line)
    assert "wrong" in ordered
    assert "no (1 of 3 wrong)" in ordered
    assert "200" not in ordered
    assert "yes" in next(line for line in text.splitlines() if "serial  " in line)


def rounded(value: Any) -> Any:
    """With nine digits of each number that is not whole."""
    return json.loads(json.dumps(value), parse_float=lambda text: float(f"{float(text):.9g}"))


def test_what_is_written_is_read_back_to_nine_digits(tmp_path: Path) -> None:
    made = document(paired(), scale_factor=1.0, repeats=3)
    path = results.write(made, tmp_path / "new" / "results")
    assert results.read(path) == rounded(made)
    assert re.fullmatch(r"\d{8}T\d{6}Z-example-9000-2c-bench\.json", path.name)


def test_a_file_has_no_summary_and_its_reader_computes_it(tmp_path: Path) -> None:
    path = results.write(document(paired()), tmp_path)
    assert "summary" not in json.loads(path.read_text())
    assert results.read(path)["summary"] == results.summarise(paired())


def test_every_committed_result_is_read_and_summed_up_by_what_its_runs_say() -> None:
    """Those of `perf` are not: their runs are of many kinds, and docs/performance.md is compared with the newest."""
    files = [path for path in committed_results() if not path.stem.endswith("-perf")]
    assert files
    for path in files:
        document = results.read(path)
        assert document["summary"]
        ratios = [row["ratio"] for row in document["summary"] if row.get("ratio")]
        assert ratios or document["kind"] not in ("bench", "sweep")
        assert all(each["coverage"] == order_statistic(each["n"])[1] for each in ratios)


def test_runs_that_cannot_be_summed_up_are_no_result_file(tmp_path: Path) -> None:
    made = document(paired())
    for run in (7, made["runs"][0] | {"throughput": "fast"}):
        path = results.write(made | {"runs": [run]}, tmp_path)
        with pytest.raises(StreambenchError, match=r"is not a whole result file: its runs cannot be summed up"):
            results.read(path)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        *(({"machine": machine}, "its machine is not told") for machine in (None, {}, {"cpu": {"model": "one"}})),
        *(({"parameters": parameters}, "its parameters are not told") for parameters in (None, [], "none")),
        *(({"kind": kind}, "its kind is ") for kind in (None, ["bench"], 1)),
        *(({"created": created}, "its date is not told") for created in (None, "yesterday", 2030)),
    ],
)
def test_a_file_that_lacks_what_each_result_says_is_no_result_file(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    path = results.write(document(paired()), tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(StreambenchError, match=f"is not a whole result file: {told}"):
        results.read(path)


def test_a_result_of_another_kind_or_without_runs_is_not_shown(tmp_path: Path) -> None:
    path = results.write(document(paired()), tmp_path)
    kind = results.read(path)["kind"]
    assert results.read_of(path, kind)["runs"]
    with pytest.raises(
        StreambenchError, match=f"is a result of `{command_of(kind)}`, not of `streambench simulate validate`"
    ):
        results.read_of(path, "validate")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"runs": []}))
    with pytest.raises(StreambenchError, match="holds no runs, so there is nothing to show: name another result"):
        results.read_of(path, kind)


def test_a_second_result_of_the_same_second_leaves_the_first_alone(tmp_path: Path) -> None:
    made = document(paired())
    first = results.write(made, tmp_path)
    before = first.read_bytes()
    second = results.write(made | {"warnings": []}, tmp_path)
    assert first != second
    assert first.read_bytes() == before
    assert results.read(second)["warnings"] == []


def test_a_file_system_without_links_still_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    made = document(paired())
    paths = {results.write(made, tmp_path) for _ in range(3)}
    assert len(paths) == 3
    assert all(results.read(path)["runs"] for path in paths)
    assert sorted(paths) == sorted(tmp_path.iterdir())


def test_a_full_disk_gives_one_sentence_and_no_file(
    tmp_path: Path, room: Callable[[int], AbstractContextManager[None]]
) -> None:
    with room(1000):
        with pytest.raises(StreambenchError, match="File too large; make room"):
            results.check_folder(tmp_path)
        with pytest.raises(StreambenchError, match="File too large; make room"):
            results.write(document(paired()), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_paths_and_numbers_that_json_cannot_hold_do_not_reach_the_file(tmp_path: Path) -> None:
    made = document(
        paired(),
        data=Path("/home/someone/data/sf1"),
        note="read /home/someone/x.parquet and C:\\Users\\someone\\y.csv, 5 tuples/s, q1/q2, ~/z",
        days=np.int64(30),
        columns=np.array([1.5, np.nan]),
        worst=float("inf"),
    )
    path = results.write(made, tmp_path)
    assert "someone" not in path.read_text()
    assert results.read(path)["parameters"] == {
        "data": "sf1",
        "note": "read x.parquet and y.csv, 5 tuples/s, q1/q2, z",
        "days": 30,
        "columns": [1.5, None],
        "worst": None,
    }


def test_an_encoded_histogram_is_written_as_it_is(tmp_path: Path) -> None:
    """Its alphabet has the slash: what stands between two of them is no path."""
    text = "HISTFAAAAWt4/home/nobody/x+nC2PMUtcQRDH/tmp/Bb25Yl5fleZHjOEWF8c9aHAEvKYJpgudjmeIx="
    made = document(paired())
    runs = [run | dict.fromkeys(results.ENCODED, text) for run in made["runs"]]
    read = results.read(results.write(made | {"runs": runs}, tmp_path))
    assert {run[name] for run in read["runs"] for name in results.ENCODED} == {text}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "it is empty; name one"),
        ("{", "ends in its middle"),
        ("nothing ]", "it is not JSON"),
        ('{"schema": 2, "query": "q1"}', "one run of `streambench run --json`"),
        ("[]", "no schema version"),
        ('{"runs": []}', "no schema version"),
        ('{"schema": 99}', "schema 99"),
        ('{"schema": 1, "runs": []}', "has schema 1, and"),
        ('{"schema": 2, "runs": []}', "lacks kind, created, version, machine, parameters;"),
    ],
)
def test_what_is_not_a_result_file_is_refused_by_name(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(content)
    with pytest.raises(StreambenchError, match=message) as caught:
        results.read(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match="cannot be read"):
        results.read(tmp_path / "none.json")
    with pytest.raises(StreambenchError, match="streambench bench queries"):
        newest(tmp_path, ("bench",))


def test_the_latest_is_the_newest_by_name_and_nothing_else_in_the_folder(tmp_path: Path) -> None:
    made = document(paired())
    latest = results.write(made | {"created": "2030-01-02T00:00:00+00:00"}, tmp_path)
    results.write(made | {"created": "2030-01-01T23:59:59+00:00"}, tmp_path)
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "README.md").write_text("")
    assert newest(tmp_path, ("bench",)) == latest


def test_dates_in_names_are_utc(tmp_path: Path) -> None:
    path = results.write(document(paired()) | {"created": "2030-01-02T01:00:00+02:00"}, tmp_path)
    assert path.name.startswith("20300101T230000Z-")


def test_the_commit_is_that_of_this_source_tree_and_says_when_files_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True, capture_output=True)

    monkeypatch.setattr(results, "__file__", str(tmp_path / Path(results.__file__).resolve().relative_to(ROOT)))
    assert results.commit() is None
    git("init")
    assert results.commit() is None
    (tmp_path / "code").write_text("1")
    git("add", "code")
    git("commit", "-m", "first")
    clean = results.commit()
    assert clean is not None
    assert re.fullmatch(r"[0-9a-f]{12}", clean)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "new.json").write_text("{}")
    assert results.commit() == clean
    (tmp_path / "code").write_text("2")
    assert results.commit() == f"{clean}-dirty"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0.00"),
        (999.4, "999"),
        (999.6, "1.00 k"),
        (12_345.0, "12.3 k"),
        (9.996e6, "10.0 M"),
        (2e9, "2.00 G"),
    ],
)
def test_counts_have_three_digits(value: float | None, text: str) -> None:
    assert human(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (2e-9, "2.00 ns"),
        (1.25e-3, "1.25 ms"),
        (0.9999, "1.00 s"),
        (4.5e-5, "45.0 µs"),
        (float("nan"), "-"),
    ],
)
def test_durations_have_a_fitting_unit(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_a_ratio_of_too_few_runs_claims_no_interval() -> None:
    assert ratio_text({"median": 1.5, "low": None, "high": None, "n": 1}) == "1.50 (one run)"
    assert ratio_text({"median": 1.5, "low": 1.4, "high": 1.6, "n": 5, "coverage": None}) == "1.50 (1.40 to 1.60)"
    assert ratio_text({"median": 1.5, "low": 1.4, "high": 1.6, "n": 6, "coverage": 0.96875}) == "1.50 [1.40, 1.60]"


@pytest.mark.parametrize(("repeats", "above"), [(5, "serial (min to max of 5)"), (9, "serial [96.1 %]")])
def test_the_heading_says_how_sure_the_intervals_below_are(repeats: int, above: str) -> None:
    runs = [run("q1", engine, 1, repeat, 5.0) for repeat in range(repeats) for engine in ("serial", "ordered")]
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(table(results.summarise(runs)))
    text = console.export_text()
    assert above in text
    assert "95 %" not in text


def test_a_kept_run_without_a_routing_was_routed_early_by_schemes_and_not_at_all_by_others(tmp_path: Path) -> None:
    runs = [run("q1", "schemes", 1, 0, 1.0, heuristic="ct"), run("q1", "serial", 1, 0, 1.0, heuristic=None)]
    runs += [run("q1", "schemes", 1, 0, 1.0, heuristic="ct", routing="in-order"), run("q1", "serial", 1, 0, 1.0)]
    kept = results.read(results.write(document(runs), tmp_path))["runs"]
    assert [each.get("routing", "no option") for each in kept] == ["early", None, "in-order", "no option"]
