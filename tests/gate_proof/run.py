"""Does the gate say what is true? Commits that are slower, wrong or the same, and what `streambench gate` ends with.

    python tests/gate_proof/run.py --data data/sf0.25 --runs 20 --budget 60s

Works in a clone under build/: this tree is only read. What is committed is judged. Builds begin with what is built
here, so that only what differs is compiled. Ends with 1 if any gate was wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from streambench.gate.checkouts import Checkouts  # noqa: E402
from streambench.gate.settings import Settings  # noqa: E402
from streambench.gate.side import BASE, NEW, Side  # noqa: E402

CLONE = ROOT / "build" / "gate-proof"
UNIT, WORKERS = 256, 2
HAND_OVER = f"run q4 --data {{data}} --workers {{workers}} --laps {{laps}} --preload --plan cut --unit {UNIT}"
SEGMENTS, OPERATORS = "pyx/sharded/segments.pyx", "queries/q4/operators.pyx"
PUBLISH = "        # A read-modify-write, seq_cst: before the look for sleepers (see parking). Pairs with is_ready.\n"
PURCHASES = "keep_nulls(&kept, rows, self.at[2])"
LAPS, TRIES, STEPS, FIRST_WAIT, CLOSE = 40, 5, 4, 400, 0.03
LINKED = ("pyx", "queries", "datagen")
BUILT = {".so", ".cpp", ".c"}
EXPECTED = {"slower hand-over": {1}, "wrong answer": {3}, "the same": {0, 2}, "the same, busy neighbour": {0, 2}}


def main() -> int:
    """Run what is asked for; print a line for each gate and a count of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a data directory with web_clickstreams")
    parser.add_argument("--runs", type=int, default=20, help="gates of the same commit; half beside a busy neighbour")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--slower", type=float, default=0.10, help="the part of its speed that the hand-over loses")
    given = parser.parse_args()
    data = given.data.resolve()
    base = cloned()
    config = CLONE.with_suffix(".toml")
    config.write_text(f'[workloads]\nhand-over = "{HAND_OVER}"\n')
    found: list[tuple[str, int]] = []

    def judge(case: str) -> None:
        found.append((case, gate(base, config, data, given.budget)))
        print(f"{case}: ended with {found[-1][1]}", flush=True)

    begun(CLONE)  # the gate that is committed judges
    wait = ticks_lost(base, data, given.slower)
    for case, file, old, new in (
        ("slower hand-over", SEGMENTS, PUBLISH, waiting(wait) + PUBLISH),
        ("wrong answer", OPERATORS, PURCHASES, PURCHASES.replace("keep", "drop")),
    ):
        with changed(CLONE / file, old, new):
            built(NEW, Checkouts(CLONE).working_tree())
            judge(case)
    for number in range(given.runs):
        if number % 2:
            with neighbour():
                judge("the same, busy neighbour")
        else:
            judge("the same")
    for (case, code), times in sorted(Counter(found).items()):
        print(f"{case}: {times} times {code}{'' if code in EXPECTED[case] else ', which is wrong'}")
    return int(any(code not in EXPECTED[case] for case, code in found))


def cloned() -> str:
    """The commit of this tree, in a clone that stays as it is until there is another."""
    commit = git("rev-parse", "HEAD", of=ROOT)
    if CLONE.exists() and git("rev-parse", "HEAD") != commit:
        shutil.rmtree(CLONE)
    if not CLONE.exists():
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(CLONE)], check=True)
    git("checkout", "-q", "--", ".")
    return commit


def begun(tree: Path) -> None:
    """Give a checkout what is built here, and the times of all files that are the same here."""
    for name in filter(None, git("ls-files", "-z", of=tree).split("\0")):
        ours, theirs = ROOT / name, tree / name
        if not theirs.is_symlink() and ours.is_file() and ours.read_bytes() == theirs.read_bytes():
            os.utime(theirs, ns=(ours.stat().st_atime_ns, ours.stat().st_mtime_ns))
    for built in (each for folder in ("pyx", "queries", "streambench") for each in (ROOT / folder).rglob("*")):
        target = tree / built.relative_to(ROOT)
        if built.suffix in BUILT and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(built, target)
    for name in LINKED:
        if not (tree / "streambench" / name).is_symlink():
            (tree / "streambench" / name).symlink_to(Path("..") / name)


def ticks_lost(base: str, data: Path, slower: float) -> int:
    """How long each of a unit's hand-overs has to wait for the pipeline to lose that part of its speed: tried out."""
    words = HAND_OVER.format(data=data, workers=WORKERS, laps=LAPS).split()

    def speed(side: Side) -> float:
        return float(side.measured([*words, "--no-check", "--quiet", "--json", "-"])[0]["throughput"])

    first = built(BASE, base)
    wait = FIRST_WAIT
    for _ in range(STEPS):
        with changed(CLONE / SEGMENTS, PUBLISH, waiting(wait) + PUBLISH):
            second = built(NEW, Checkouts(CLONE).working_tree())
        lost = 1 - median(speed(second) / speed(first) for _ in range(TRIES))
        print(f"with {wait} ticks longer the hand-over loses {lost:.1%}", flush=True)
        if abs(lost - slower) <= CLOSE:
            break
        wait = round(wait * min(3.0, max(0.3, slower / max(lost, 0.01))))
    return wait


def built(name: str, commit: str) -> Side:
    """A side that can be run."""
    checkouts, settings = Checkouts(CLONE), Settings()
    begun(checkouts.checked_out(commit))
    return Side(name, commit, checkouts.built(commit, settings.words("build")), settings.words("run"))


def waiting(ticks: int) -> str:
    """Lines of Cython that let time go by."""
    lines = (f"cdef int64_t until = clock.ticks() + {ticks}", "while clock.ticks() < until:", "    pass")
    return "".join(f"        {line}\n" for line in lines)


@contextmanager
def changed(file: Path, old: str, new: str) -> Iterator[None]:
    """The file with one thing replaced, not committed."""
    text = file.read_text()
    assert text.count(old) == 1, f"{file} has not the line that is to be changed"
    replaced = text.replace(old, new)
    if "clock." in new:
        replaced = replaced.replace(
            "\nfrom libcpp.atomic", "\ncimport streambench.pyx.machine.clock as clock\nfrom libcpp.atomic", 1
        )
    file.write_text(replaced)
    try:
        yield
    finally:
        file.write_text(text)


def gate(base: str, config: Path, data: Path, budget: str) -> int:
    """The exit code of a gate of the clone's working tree."""
    words = ["--base", base, "--config", config, "--data", data, "--workers", WORKERS, "--budget", budget]
    results = ["--results", CLONE.with_name("gate-proof-results")]
    command = [sys.executable, "-m", "streambench", "gate", *map(str, (*words, *results))]
    surroundings = os.environ | {"PYTHONPATH": str(CLONE)}
    ended = subprocess.run(command, cwd=CLONE, env=surroundings, capture_output=True, text=True, check=False)
    print(re.sub(r"\n{2,}", "\n", ended.stdout or ended.stderr), end="", flush=True)
    return ended.returncode


@contextmanager
def neighbour() -> Iterator[None]:
    """A process that keeps one core busy."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def git(*words: str, of: Path = CLONE) -> str:
    """What git says in the clone."""
    return subprocess.run(["git", "-C", str(of), *words], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
