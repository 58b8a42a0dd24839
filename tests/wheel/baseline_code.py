"""Is all machine code in a wheel for any x86-64 processor, but for what is chosen while it runs?

``python baseline_code.py FILE.whl``, or with a ``.so``. A function for newer processors says so in its own attribute,
``target("avx2")``; whatever else has an instruction of theirs was compiled with ``-march=native`` or the like, and
would end the process on an older machine. Takes objdump; of other processors' code it says nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
NEWER = re.compile(r"\t(v[a-z0-9]+|popcnt|lzcnt|andn|bextr|blsr|blsi|blsmsk|bzhi|pdep|pext|mulx|rorx|sarx|shlx|shrx)\s")
OLDER = {"verr", "verw"}  # of the 286. Nor is tzcnt looked for: what older processors take it for gives the same
CHOSEN = re.compile(r"_by_(eight|four|32_bytes|64_bytes|word)|place_rows")
"""Names of the functions that have such an attribute, all of which are called behind `__builtin_cpu_supports`."""


def newer_code(library: Path) -> dict[str, str]:
    """By function the first instruction that not every x86-64 processor has, of functions that are not chosen."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(library)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, str] = {}
    function = ""
    for line in listing.splitlines():
        begins = FUNCTION.match(line)
        if begins:
            function = begins[1]
            continue
        instruction = NEWER.search(line)
        if instruction and instruction[1] not in OLDER and not CHOSEN.search(function):
            found.setdefault(function, instruction[1])
    return found


def libraries(file: Path, folder: Path) -> Iterator[Path]:
    """The file itself, or of a wheel the compiled modules of the package."""
    if file.suffix != ".whl":
        yield file
        return
    with zipfile.ZipFile(file) as wheel:
        for name in wheel.namelist():
            if name.startswith("streambench/") and name.endswith(".so"):
                yield Path(wheel.extract(name, folder))


def main(files: list[str]) -> None:
    """Name every function that is not for any x86-64 processor, and exit with 1 where there is one."""
    looked, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            for library in libraries(Path(file), Path(folder)):
                looked += 1
                for function, instruction in newer_code(library).items():
                    wrong += 1
                    print(f"{library.name}: {function} has {instruction}")
    print(f"{looked} libraries, {wrong} functions that need a newer processor")
    if wrong or not looked:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
