"""Does the gate say what is true? Commits that are slower, wrong or the same, and what `streambench gate` ends with.

    python tests/gate_proof/run.py
    python tests/gate_proof/run.py --only same --runs 5      # in pieces: each writes a result of its own

Works in a clone under build/; this tree is only read, but for a dated result. What is committed is judged. Builds begin
with what is built here, so that only what differs is compiled. Ends with 1 if any gate was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from streambench.errors import StreambenchError  # noqa: E402
from streambench.host import core_distance, neighbours  # noqa: E402
from streambench.host.limits import allowed_cpus  # noqa: E402
from streambench.lab.data.generated import generated  # noqa: E402
from streambench.lab.gate import settings  # noqa: E402
from streambench.lab.gate.checkouts import Checkouts  # noqa: E402
from streambench.lab.gate.gate import Wanted  # noqa: E402
from streambench.lab.gate.side import BASE, NEW, Side  # noqa: E402
from streambench.lab.gate.trials import GateTrials  # noqa: E402
from streambench.lab.gate.workload import Workload  # noqa: E402
from streambench.lab.record import journaled_document, results  # noqa: E402
from streambench.lab.record.gate_summary import PROOF as KIND  # noqa: E402

CLONE = ROOT / "build" / "gate-proof"
SCALE = 0.05
UNIT, WORKERS = 256, 2
HAND_OVER = f"run q4 --data {{data}} --workers {{workers}} --laps {{laps}} --preload --plan cut --unit {UNIT}"
SEGMENTS, OPERATORS = "pyx/ordered/segments.pyx", "queries/q4/operators.pyx"
PUBLISH = "        set_readiness(unit, ready_for(plan, unit.serial, j))\n"
PURCHASES = "keep_nulls(&kept, rows, self.at[2])"
TRIES, STEPS, FIRST_WAIT, CLOSE = 9, 5, 200, 0.02
LINKED = ("pyx", "queries", "datagen")
BUILT = {".so", ".cpp", ".c"}
SLOWER, WRONG, SAME = "slower", "wrong", "same"
EXPECTED = {SLOWER: [1], WRONG: [3], SAME: [0, 2]}
"""The exit codes that a case may end with."""


class PeerJob(NamedTuple):
    """A gate to be run: of which case, for how long, and whether a neighbour keeps a core busy."""

    case: str
    budget: float
    neighbour: bool = False

    def __str__(self) -> str:
        return f"{self.case}{', beside a busy neighbour' if self.neighbour else ''}, budget {self.budget:g} s"


class Proof:
    """Runs gates of the clone, one after the other, and keeps a record of each. ``total``: so many are to come."""

    def __init__(self, base: str, data: Path, total: int) -> None:
        self._base, self._data, self._total = base, data, total
        self._config = CLONE.with_suffix(".toml")
        self._config.write_text(f'[workloads]\nhand-over = "{HAND_OVER}"\n')
        self.runs: list[dict[str, Any]] = []

    def judge(self, asked: PeerJob) -> None:
        """Have the clone's working tree judged."""
        print(f"gate {len(self.runs) + 1} of {self._total}: {asked}", flush=True)
        busy, load, distance = neighbours.busy_cores(), os.getloadavg()[0], core_distance.round_trips()
        begin = time.monotonic()
        with neighbour() if asked.neighbour else nullcontext():
            code, told = gate(self._base, self._config, self._data, asked.budget)
        found = {
            "case": asked.case,
            "neighbour": asked.neighbour,
            "expected": EXPECTED[asked.case],
            "exit_code": code,
            "verified": code in EXPECTED[asked.case],
            "budget_seconds": asked.budget,
            "seconds": round(time.monotonic() - begin, 1),
            "cores": len(allowed_cpus()),
            "load": load,
            "others_busy_cores": busy,
            "core_round_trip_ns": max(distance.values(), default=None),
            **told,
        }
        self.runs.append(found)
        right = "as it should" if found["verified"] else f"and not with {' or '.join(map(str, found['expected']))}"
        print(f"  ended with {code} after {found['seconds']:.0f} s, {right}", flush=True)


def main() -> int:
    """Run what is asked for, print a line for each gate, and write the result of those that came to an end."""
    given = arguments()
    data = (given.data or generated(SCALE)).resolve()
    same = [PeerJob(SAME, given.budget, neighbour=bool(number % 2)) for number in range(given.runs)]
    asked = [PeerJob(SLOWER, given.slower_budget), PeerJob(WRONG, given.budget), *same]
    asked = [each for each in asked if each.case in given.only]
    base = cloned()
    begun(CLONE)  # the gate that is committed judges
    first = built(BASE, base)
    call = journaled_document.begin()
    parameters: dict[str, Any] = {"commit": base, "data": data.name, "workers": WORKERS, "workload": HAND_OVER}
    proof = Proof(base, data, len(asked))
    try:
        if SLOWER in given.only:
            parameters |= {"slower": given.slower, "ticks": given.ticks or ticks_lost(first, data, given.slower)}
        for each in asked:
            with changed_for(each.case, parameters.get("ticks", 0)):
                proof.judge(each)
    finally:
        if proof.runs:
            document = journaled_document.document(KIND, parameters, proof.runs, [call, journaled_document.end()])
            for row in document["summary"]:
                beside = ", beside a busy neighbour" if row["neighbour"] else ""
                codes = ", ".join(f"{times} times {code}" for code, times in row["exit_codes"].items())
                print(f"{row['case']}{beside}: {codes}; {row['right']} of {row['gates']} as they should")
            print(f"result: {results.write(document, given.results)}", flush=True)
    return int(not all(run["verified"] for run in proof.runs))


def arguments() -> argparse.Namespace:
    """The command line's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=cases, default=list(EXPECTED), metavar="CASE,..", help=",".join(EXPECTED))
    parser.add_argument("--runs", type=int, default=20, help="gates of the same commit; every second has a neighbour")
    parser.add_argument("--budget", type=budget, default="60s", help="of a gate of the wrong and of the same commit")
    parser.add_argument("--slower-budget", type=budget, default="240s", help="of the gate of the slower commit")
    parser.add_argument("--slower", type=float, default=0.10, help="the part of its speed that the hand-over loses")
    parser.add_argument("--ticks", type=int, help="how long a hand-over waits for that; left out, it is tried out")
    parser.add_argument("--data", type=Path, help=f"a data directory; left out, one of scale factor {SCALE} is made")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help="where the dated result goes")
    return parser.parse_args()


def budget(text: str) -> float:
    """The seconds that a text such as 4m means."""
    try:
        return settings.seconds(text)
    except StreambenchError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def cases(text: str) -> list[str]:
    """Names of cases with commas between them."""
    if unknown := [name for name in text.split(",") if name not in EXPECTED]:
        raise argparse.ArgumentTypeError(f"there is no case {unknown[0]!r}: choose from {','.join(EXPECTED)}")
    return text.split(",")


@contextmanager
def changed_for(case: str, ticks: int) -> Iterator[None]:
    """The clone as a case has it: built, but not committed."""
    if case == SAME:
        yield
        return
    file, old, new = {
        SLOWER: (SEGMENTS, PUBLISH, waiting(ticks) + PUBLISH),
        WRONG: (OPERATORS, PURCHASES, PURCHASES.replace("keep", "drop")),
    }[case]
    with changed(CLONE / file, old, new):
        built(NEW, Checkouts(CLONE).working_tree())
        yield


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


def ticks_lost(first: Side, data: Path, slower: float) -> int:
    """How long each of a unit's hand-overs has to wait for the pipeline to lose that part of its speed: tried out."""
    wait = FIRST_WAIT
    for _ in range(STEPS):
        with changed(CLONE / SEGMENTS, PUBLISH, waiting(wait) + PUBLISH):
            lost = speed_lost(first, built(NEW, Checkouts(CLONE).working_tree()), data)
        print(f"with {wait} ticks longer the hand-over loses {lost:.1%}", flush=True)
        if abs(lost - slower) <= CLOSE:
            break
        wait = round(wait * min(3.0, max(0.3, slower / max(lost, 0.01))))
    return wait


def speed_lost(first: Side, second: Side, data: Path) -> float:
    """The part of the first side's throughput that the second lacks, in pairs such as a gate's."""
    with tempfile.TemporaryDirectory() as scratch:
        trials = GateTrials(WORKERS, data, Path(scratch), Wanted.seconds)
        trial = trials.prepared(Workload("hand-over", HAND_OVER), first, second)
        pairs = [trials.pair(trial, first, second, "tried", number) for number in range(TRIES)]
    return 1 - median(median(new["throughput"] / base["throughput"] for base, new in pair) for pair in pairs)


def built(name: str, commit: str) -> Side:
    """A side that can be run."""
    checkouts, usual = Checkouts(CLONE), settings.Settings()
    begun(checkouts.checked_out(commit))
    return Side(name, commit, checkouts.built(commit, usual.words("build")), usual.words("run"))


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


def gate(base: str, config: Path, data: Path, seconds: float) -> tuple[int, dict[str, Any]]:
    """The exit code of a gate of the clone's working tree, and what it says besides."""
    said = CLONE.with_name("gate-proof.json")
    said.unlink(missing_ok=True)
    words = ["--base", base, "--config", config, "--data", data, "--workers", WORKERS, "--budget", f"{seconds}s"]
    places = ["--results", CLONE.with_name("gate-proof-results"), "--json", said]
    command = [sys.executable, "-m", "streambench", "gate", *map(str, (*words, *places))]
    surroundings = os.environ | {"PYTHONPATH": str(CLONE)}
    ended = subprocess.run(command, cwd=CLONE, env=surroundings, capture_output=True, text=True, check=False)
    print(re.sub(r"\n{2,}", "\n", ended.stdout or ended.stderr), end="", flush=True)
    if not said.exists():  # it came to no verdict
        return ended.returncode, {"outcome": None, "problem": last_line(ended.stderr), "verdicts": []}
    told = json.loads(said.read_text())
    sides = {name: told["parameters"][name] for name in (BASE, NEW)}
    return ended.returncode, sides | {name: told[name] for name in ("outcome", "problem", "verdicts", "warnings")}


def last_line(text: str) -> str:
    """That of what a program said."""
    return (text.strip().splitlines() or ["it said nothing"])[-1]


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
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
