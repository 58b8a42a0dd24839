"""A git repository with the command interface that a gate drives, and one small Cython module that is really compiled.

Its speed is what the compiled module says, give or take one part in a hundred: so no clock decides a test.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

SETUP = """
from Cython.Build import cythonize
from setuptools import Extension, setup

work = Extension("toy.work", ["toy/work.pyx"], extra_compile_args=["-O0"])
setup(name="toy", packages=["toy"], ext_modules=cythonize([work]))
"""
WORK = """
def cost():
    return 100


def answer(int laps):
    cdef int place, total = 0
    for place in range(20_000 * laps):
        total += place % 7
    return total
"""
MAIN = """
import json
import sys
import time

from toy.work import answer, cost

words = sys.argv[1:]


def run():
    laps = int(words[words.index("--laps") + 1])
    found = answer(laps)
    if "--no-check" not in words and found != sum(place % 7 for place in range(20_000 * laps)):
        sys.exit("toy: the run is wrong: row 1 is another")
    speed = 1e8 / cost() * (0.99 + time.perf_counter_ns() % 1000 / 50_000)
    latency = {"p50": 1 / speed, "p99": 2 / speed}
    told = {"throughput": speed, "latency": latency, "seconds": 1.0, "digest": str(found), "engine": "toy"}
    print(json.dumps(told), flush=True)


if words[0] == "run":
    if "--extra" in words or ("--once" in words and "--resident" in words):
        print("toy: no such option", file=sys.stderr)
        sys.exit(2)
    if "--resident" not in words:
        run()
        sys.exit()
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        run()
"""
GATE = """
[commands]
run = "{python} -m toy"

[workloads]
q1 = "run q1 --laps {laps}"
once = "run q1 --laps {laps} --once"
extra = "run q1 --laps {laps} --extra"

[counted]
q1 = "run q1 --laps {laps}"
"""


class Toy:
    """The repository, with one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "toy").mkdir(parents=True)
        (folder / ".gitignore").write_text("*.so\n*.c\nbuild/\n__pycache__/\n")
        package = {"toy/work.pyx": WORK, "toy/__main__.py": MAIN, "toy/__init__.py": ""}
        for name, text in {"setup.py": SETUP, "gate.toml": GATE, **package}.items():
            (folder / name).write_text(text)
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("-c", "user.name=toy", "-c", "user.email=toy@localhost", "commit", "-q", "-m", "a toy")

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(self.folder), *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    def becomes(self, old: str, new: str) -> None:
        """The module from now on, not committed: as it was, but for one thing."""
        assert old in WORK
        (self.folder / "toy" / "work.pyx").write_text(WORK.replace(old, new))

    def builds(self) -> int:
        """How many commits were built."""
        return len(list((self.folder / ".git" / "streambench-gate").glob("*.json")))
