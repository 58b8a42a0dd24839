"""A file that is no log of decisions, or not a whole one, is refused in one sentence, whatever is wrong with it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.execution.decisions import Decisions
from streambench.lab.record import decision_log
from streambench.lab.record.replay import decided, replay

HOW = {"unit": 0, "free_plan": True, "credit": 16, "latency_target": 1e-3, "interval": 0.0, "free_credit": True}
LOOKS = 40


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Of a stream that is always saturated, of made-up costs."""
    made = Decisions(
        names=("Source", "Sum", "Sink"),
        kinds=("ps",),
        widths=(2, 1, 0),
        partitions=(1, 4, 1),
        workers=2,
        how={**HOW, "cuts": (0, 0), "dealt": (), "costs": {"line": 40.0, "byte": 0.02}, "row_bytes": [16, 8, 0]},
        ns_per_tick=0.5,
        begun=1000,
        due=0,
        rows=None,  # type: ignore[arg-type]
        asked=LOOKS,
    )
    controller = made.controller()
    controller.begin_at(made.begun)
    due, rows = controller.next_decision, []
    for number in range(1, LOOKS + 1):
        now, position = made.begun + number * 2_000_000, number * 10_000
        controller.full, controller.waiting, controller.waited = position, 0, 0
        metered = [0, position, position, 180 * position, position, position, 20 * position, position, position]
        told = [now, position, position, 0, 0, *metered]
        changed = controller.decide_on(now, position, [metered[k : k + 3] for k in (0, 3, 6)])
        rows.append([*told, *decided(controller, changed)])
    path = tmp_path / "a.log.gz"
    decisions = Decisions(**{**vars(made), "due": due, "rows": np.array(rows)})
    with path.open("wb") as file:
        decision_log.writer(decisions)(file)
    return path


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def rewritten(path: Path, held: list[Any]) -> Path:
    path.write_bytes(gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in held)))
    return path


def refused(path: Path) -> str:
    with pytest.raises(OptionError) as told:
        decision_log.read(path)
    assert "\n" not in str(told.value)
    assert str(path) in str(told.value)
    return str(told.value)


def test_the_same_decisions_are_the_same_bytes(log: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    with again.open("wb") as file:
        decision_log.writer(decision_log.read(log))(file)
    assert again.read_bytes() == log.read_bytes()


def test_a_whole_log_is_replayed(log: Path) -> None:
    found = replay(decision_log.read(log))
    assert found.difference is None
    assert any(each["plan"] != "whole" for each in found.choices)


def test_every_shorter_file_is_refused(log: Path, tmp_path: Path) -> None:
    whole = log.read_bytes()
    for size in range(0, len(whole), 7):
        cut = tmp_path / "cut"
        cut.write_bytes(whole[:size])
        assert ("truncated" in refused(cut)) == (size > 0)
    assert "lines of numbers" in refused(rewritten(tmp_path / "cut", lines(log)[:-1]))


OTHER = {
    "empty": b"",
    "text": b"no log",
    "JSON": b'{"format": 1}\n',
    "a gzip's beginning": b"\x1f\x8b",
    "packed text": gzip.compress(b"no log"),
    "packed JSON": gzip.compress(b'{"format": 1}\n'),
    "packed nesting": gzip.compress(b"[" * 100_000),
    "zeros": bytes(99),
}


@pytest.mark.parametrize("content", OTHER.values(), ids=OTHER)
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    refused(tmp_path / "x")


def test_what_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "nowhere")
    assert "cannot be read" in refused(tmp_path)


def test_another_format_is_told_with_the_version_that_wrote_it(log: Path) -> None:
    header, *numbers = lines(log)
    told = refused(rewritten(log, [{**header, "format_version": 7, "version": "9.1"}, *numbers]))
    assert "format 7" in told
    assert "'9.1'" in told


def _of_how(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda header: header["how"].__setitem__(name, value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda header: header.pop("how"),
        lambda header: header.pop("columns"),
        lambda header: header.__setitem__("workers", 0),
        lambda header: header.__setitem__("workers", "two"),
        lambda header: header.__setitem__("operators", header["operators"] * 99),
        lambda header: header.__setitem__("operators", []),
        lambda header: header.__setitem__("operators", 5),
        lambda header: header.__setitem__("begun", 1 << 70),
        lambda header: header.__setitem__("ns_per_tick", 0.0),
        lambda header: header.__setitem__("ns_per_tick", float("nan")),
        lambda header: header.__setitem__("constants", {"thrift": "much"}),
        lambda header: header["operators"][1].__setitem__("kind", "box"),
        lambda header: header["operators"][1].__setitem__("partitions", -1),
        lambda header: header["operators"][1].__setitem__("name", None),
        _of_how("cuts", [8, 0]),
        _of_how("cuts", [1]),
        _of_how("dealt", [[1, 99]]),
        _of_how("dealt", [[-70, 2]]),
        _of_how("unit", -5),
        _of_how("costs", {"line": 40.0}),
        _of_how("costs", {"line": 40.0, "byte": -1.0}),
        _of_how("costs", {"line": 40.0, "byte": "dear"}),
        _of_how("costs", 40.0),
        _of_how("costs", {}),
        _of_how("costs", []),
        _of_how("costs", 0),
        _of_how("costs", False),
        _of_how("row_bytes", [16, 8]),
        _of_how("row_bytes", [16, -8, 0]),
        _of_how("row_bytes", [16, 8.5, 0]),
        _of_how("row_bytes", 8),
        _of_how("other", 1),
        _of_how("latency_target", None),
    ],
)
def test_a_header_that_no_run_has_is_refused(log: Path, spoil: Callable[[dict[str, Any]], Any]) -> None:
    header, *numbers = lines(log)
    spoil(header)
    refused(rewritten(log, [header, *numbers]))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda numbers: numbers[0].append(1),
        lambda numbers: numbers[0].__setitem__(3, 1.5),
        lambda numbers: numbers[0].__setitem__(3, True),
        lambda numbers: numbers[0].__setitem__(3, 1 << 63),
        lambda numbers: numbers[0].__setitem__(0, -5),
        lambda numbers: numbers[1].__setitem__(3, -99),
        lambda numbers: numbers.__setitem__(4, {"a": 1}),
    ],
)
def test_numbers_that_no_run_has_are_refused(log: Path, spoil: Callable[[list[Any]], Any]) -> None:
    header, *numbers = lines(log)
    spoil(numbers)
    refused(rewritten(log, [header, *numbers]))
