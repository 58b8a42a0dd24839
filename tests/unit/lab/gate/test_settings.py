"""`gate.toml`: what it may say, and what is refused in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streambench.lab.gate.errors import NoVerdictError
from streambench.lab.gate.settings import FAIL_OVER, FILE, GateSettings, read, seconds, share

ROOT = Path(__file__).resolve().parents[4]


def test_what_is_left_out_is_as_without_a_file(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("")
    assert read(file) == GateSettings()
    file.write_text('[fail_over]\np99 = "50%"\n[workloads]\nmine = "run my:own --workers {workers}"\n')
    found = read(file)
    assert found.fail_over == FAIL_OVER | {"p99": 0.5}
    assert found.chosen((), False) == {"mine": "run my:own --workers {workers}"}
    assert found.chosen(("q1",), False)["q1"].startswith("run q1 ")
    assert tuple(found.chosen((), True)) == GateSettings().usual_counted
    file.write_text('[counted]\nmine = "run my:own --data {items}"\n')
    assert tuple(read(file).chosen((), True)) == ("mine",)


def test_the_projects_own_file_states_the_defaults() -> None:
    assert read(ROOT / FILE) == GateSettings()


@pytest.mark.parametrize(
    "text",
    [
        "[fail_over",
        "[limits]",
        '[fail_over]\nspeed = "5%"',
        '[fail_over]\np99 = "5"',
        "[fail_over]\np99 = 5",
        '[workloads]\nmine = "run q1 --data {folder}"',
        '[workloads]\nmine = "run q1 --laps {laps"',
        '[workloads]\nmine = "run q1 --laps {laps!r}"',
        '[workloads]\nmine = "run \'q1"',
        '[workloads]\nmine = ""',
        '[commands]\nbuild = " "',
        '[commands]\nbuild = "make \'all"',
    ],
)
def test_what_a_file_cannot_mean_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / FILE
    file.write_text(text)
    with pytest.raises(NoVerdictError, match=FILE):
        read(file)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("run my:own", "mine has neither {laps} nor {items}"),
        ("run q4 --data {data} --preload", "mine has neither {laps} nor {items}"),
        ("run q4 --laps {{laps}}", "mine has neither {laps} nor {items}"),
        ("run q4 --laps {laps} --workers {workers}", "mine has {workers}"),
    ],
)
def test_a_counted_command_runs_for_laps_and_in_one_thread(tmp_path: Path, command: str, told: str) -> None:
    file = tmp_path / FILE
    file.write_text(f'[counted]\nmine = "{command}"\n')
    with pytest.raises(NoVerdictError, match=re.escape(f"{file}: {told}")):
        read(file)
    for place, plain in (("{{laps}}", "1"), ("{workers}", "2"), ("{items}", "a.parquet")):
        command = command.replace(place, plain)
    file.write_text(f'[workloads]\nmine = "{command}"\n')
    assert read(file).workloads["mine"] == command  # time has no such needs


def test_losses_and_budgets_have_units() -> None:
    assert (share("5%"), share("2.5 %"), seconds("90s"), seconds("1.5m")) == (0.05, 0.025, 90.0, 90.0)
    for wrong in ("5", "0%", "100%", "-1%", "x"):
        with pytest.raises(NoVerdictError, match="percentage"):
            share(wrong)
    for wrong in ("5", "0s", "48h", "m", "-1s"):
        with pytest.raises(NoVerdictError, match="budget"):
            seconds(wrong)
