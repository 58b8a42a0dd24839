"""The pack, carried elsewhere: it runs without a network, an environment, and any package but those that it states."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from streambench.errors import StreambenchError
from streambench.lab.evaluation import archive
from streambench.lab.evaluation.pack import MOST_BYTES, pack
from streambench.lab.record import results

ROOT = Path(__file__).resolve().parents[4]
PARTS = ("queries", "sweep", "topk", "snet")
STATED = ("numpy", "pyarrow", "pandas", "matplotlib", "jinja2", "psutil", "pip")


def without_network() -> list[str]:
    """What cuts a command off: a network of its own, of root or of a user."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        if (
            shutil.which("unshare")
            and not subprocess.run([*command, "true"], capture_output=True, check=False).returncode
        ):
            return command
    pytest.skip("this system does not let a process have a network of its own")


def needed(name: str, found: set[str]) -> set[str]:
    """A distribution and all that it needs."""
    if name not in found:
        found.add(name)
        for line in distribution(name).requires or ():
            if "extra ==" not in line and "sys_platform" not in line:
                needed(re.split(r"[^\w.-]", line)[0], found)
    return found


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the stated packages, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    subprocess.run([base, "-m", "venv", "--without-pip", folder / "python"], check=True)
    stated = folder / "stated"
    stated.mkdir()
    every: set[str] = set()
    for name in STATED:
        needed(name, every)
    for name in every:
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (stated / top).exists():
                (stated / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    (site,) = (folder / "python").glob("lib/python*/site-packages")
    (site / "stated.pth").write_text(f"{stated}\n")
    return folder / "python" / "bin" / "python3"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pack of the running Python, carried to another folder, which cannot be written to."""
    made = tmp_path_factory.mktemp("made") / "pack"
    before = Path.cwd()
    os.chdir(ROOT)  # generated data are kept there
    try:
        assert pack(made) <= MOST_BYTES
    finally:
        os.chdir(before)
    carried = tmp_path_factory.mktemp("carried") / "a pack"
    made.rename(carried)
    for path in [carried, *carried.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    yield carried
    for path in [carried, *carried.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


def run(pack: Path, python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [
        *without_network(),
        "env",
        "-i",
        f"PATH={python.parent}:/usr/bin:/bin",
        "sh",
        str(pack / "run.sh"),
        *words,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


@pytest.mark.parametrize("place", [".", "report.txt", "link"])
def test_a_pack_replaces_nothing_but_a_pack(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report.txt").write_text("kept")
    Path("link").symlink_to("nowhere")
    begun: list[str] = []
    with pytest.raises(StreambenchError, match="name a"):
        pack(Path(place), progress=begun.append)
    assert (begun, Path("report.txt").read_text(), Path("link").is_symlink()) == ([], "kept", True)


@pytest.mark.slow
def test_a_carried_pack_evaluates_offline(packed: Path, python: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(packed, python, "--budget", "150s", "--parts", ",".join(PARTS), "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "cores" in done.stderr  # it tells the machine
    assert "plan for" in done.stdout
    (path,) = out.glob("*.tar.gz")
    assert path.stat().st_size <= archive.MOST_BYTES
    taken, parts = archive.take_in(path, tmp_path / "here")
    assert {part.part: bool(part.results) for part in parts} == dict.fromkeys(PARTS, True)
    documents = [results.read(each) for each in taken]
    assert all(document["runs"] and document["git"] for document in documents)
    assert all(row.get("verified", True) for document in documents for row in document["summary"])
    assert list((out / "figures").rglob("*.svg"))
    assert (out / "claims.md").exists()
    assert "Throughput over workers" in (out / "report.html").read_text()
    with tarfile.open(path) as opened:
        logs = {Path(name).stem for name in opened.getnames() if "/logs/" in name}
    assert logs == set(PARTS)


@pytest.mark.slow
def test_a_carried_pack_plans_for_any_machine(packed: Path, python: Path, tmp_path: Path) -> None:
    done = run(packed, python, "--dry-run", "--cores", "64", "--budget", "2h", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "plan for 64 cores" in done.stdout
    assert not (tmp_path / "out" / "results").exists()


@pytest.mark.slow
def test_wrong_calls_of_run_sh_are_told_in_a_sentence(packed: Path, python: Path, tmp_path: Path) -> None:
    for words, told in (
        (("--out",), "needs a value"),
        (("--parts", "lunch", "--out", str(tmp_path)), "lunch"),
        (("--out", "/proc/nothing"), "cannot be made"),
    ):
        done = run(packed, python, *words)
        assert done.returncode != 0
        assert told in done.stderr.splitlines()[-1]
    assert run(packed, python, "--help").stdout.startswith("usage: run.sh")
    version = json.loads((packed / "pack.json").read_text())["python"]
    words = ["env", "-i", "PATH=/usr/bin:/bin", "PYTHON=/bin/false", "sh", str(packed / "run.sh")]
    other = subprocess.run(words, capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert f"/bin/false, which is no Python {version}" in other.stderr


def test_an_interpreter_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StreambenchError, match=r"there is no Python 3\.99 with pip: install it"):
        pack(tmp_path / "pack", "3.99")
    assert list(tmp_path.iterdir()) == []
