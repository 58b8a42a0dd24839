"""Make the runtime wrong in one place at a time, and see that a test notices (``make mutants``).

Works in a copy of the tree, below ``build/mutants``; the tree itself is not touched. The copy is built, its tests must
pass, and it is set aside, to undo each mutation: so only what depends on a change is compiled again.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from mirror import mirror
from mutation import Mutation, StaleError
from tables import MUTATIONS

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "mutants" / "tree"
ASIDE = ROOT / "build" / "mutants" / "aside"
PARTS = ("datagen", "pyx", "queries", "streambench", "tests", "LICENSE", "README.md", "pyproject.toml", "setup.py")
PATIENCE = 300.0
"""s: tests of a mutant that take longer hang, which is noticed, too."""

KILLED, SURVIVED, BROKEN = "killed", "SURVIVED", "ERROR"


class FailedError(Exception):
    """The unchanged tree cannot be built, or its tests fail."""


def run(command: list[str], patience: float | None = None) -> tuple[int | None, str]:
    """Exit code and output of a Python command in the copy; None where it took too long. No process is left behind."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(TREE),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=TREE,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            output, _ = child.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        return child.returncode, output


def parts(tree: Path) -> list[str]:
    """What a copy needs: sources, what has been built among them, and the tests' compiled operators."""
    return [*PARTS, "build/simulated", *(f"build/{each.name}" for each in (tree / "build").glob("probes-*"))]


def build() -> tuple[bool, str]:
    """Compile what has changed; the tests do so with their own operators."""
    code, output = run(["setup.py", "-q", "build_ext", "--inplace"])
    return code == 0, output


def pytest(tests: Iterable[str], patience: float | None) -> tuple[int | None, str]:
    return run(["-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", *tests], patience=patience)


def prepare(tests: list[str]) -> None:
    """Build the copy as it is; its tests must pass, or what they say of a mutant means nothing."""
    mirror(ROOT, TREE, parts(ROOT))
    built, output = build()
    if not built:
        raise FailedError(f"the sources do not compile:\n{output[-4000:]}")
    code, output = pytest(tests, None)
    if code != 0:
        raise FailedError(f"the tests do not pass without any mutation:\n{output[-4000:]}")
    mirror(TREE, ASIDE, parts(TREE))


def judge(mutation: Mutation) -> tuple[str, str]:
    """What became of a mutant, and why."""
    mirror(ASIDE, TREE, parts(ASIDE))
    try:
        mutation.apply(TREE)
    except StaleError as error:
        return BROKEN, f"does not apply any more: {error}"
    built, output = build()
    if not built:
        return BROKEN, f"does not compile: {' '.join(output.split())[-300:]}"
    code, output = pytest(mutation.tests, PATIENCE)
    if code is None:
        return KILLED, "hangs"
    if code == 0:
        return SURVIVED, " ".join(mutation.tests)
    if code < 0:
        return KILLED, f"crashes by signal {-code}"
    failed = re.search(r"^FAILED [^:]*::(.*?)(?: - |$)", output, re.MULTILINE)
    if code == 1 and failed:
        return KILLED, failed.group(1)
    return BROKEN, f"its tests did not run: {' '.join(output.split())[-300:]}"


def chosen(only: list[str]) -> list[Mutation]:
    """Those whose name contains one of ``only``."""
    found = [each for each in MUTATIONS if not only or any(part in each.name for part in only)]
    if not found:
        raise SystemExit(f"no mutation is called {' or '.join(only)}: --list names all.")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the mutations and the tests that should notice")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="mutations with this in their name")
    options = parser.parse_args()
    mutations = chosen(options.only)
    if options.list:
        for each in mutations:
            print(f"{each.name}  [{each.file}]\n    {' '.join(each.tests)}")
        return 0
    for each_signal in (signal.SIGINT, signal.SIGTERM):  # where a shell's `&` has made Ctrl-C ignored, too
        signal.signal(each_signal, signal.default_int_handler)
    verdicts: list[str] = []
    try:
        print(f"{len(mutations)} mutations; first the tests without any ...", flush=True)
        prepare(sorted({test for each in mutations for test in each.tests}))
        for number, each in enumerate(mutations, start=1):
            begun = time.monotonic()
            verdict, why = judge(each)
            verdicts.append(verdict)
            took = f"{time.monotonic() - begun:.0f} s"
            print(f"{number:3d}/{len(mutations)}  {verdict:8s}  {each.name:60s} {took:>6s}  {why}", flush=True)
    except FailedError as error:
        print(error)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted")
    count = Counter(verdicts)
    print(
        f"{count[KILLED]} killed, {count[SURVIVED]} survived, {count[BROKEN]} errors, "
        f"{len(mutations) - len(verdicts)} not run"
    )
    if len(verdicts) < len(mutations):
        return 130
    return 0 if count[KILLED] == len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
