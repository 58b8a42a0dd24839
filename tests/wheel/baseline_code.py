"""Is all machine code in a wheel for any x86-64 processor, but for the functions chosen at run time?

``python baseline_code.py FILE.whl``, or with a ``.so``. A function for newer processors has an attribute in the source,
``target("avx2")``, and is called behind ``__builtin_cpu_supports``. Any other function with a newer instruction was
compiled with ``-march=native`` or the like, and would end the process on an older machine. Needs objdump.
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
OLDER = {"verr", "verw"}  # of the 286. tzcnt is not listed: older processors run it as bsf, with the same result
ROOT = Path(__file__).resolve().parents[2]
SOURCES = (ROOT / "pyx", ROOT / "streambench" / "lab")
TARGET = r'__attribute__\(\(target\("[^"]+"\)\)\)'


def dispatched_functions() -> re.Pattern[str]:
    """The functions with a ``target`` attribute in our sources, by their names in a demangled listing."""
    files = sorted(path for folder in SOURCES for ending in ("h", "pxd") for path in folder.rglob(f"*.{ending}"))
    sources = [path.read_text(encoding="utf-8") for path in files]
    macros = {name for source in sources for name in re.findall(rf"#define (\w+) {TARGET}", source)}
    declaration = re.compile(rf"(?:{'|'.join([TARGET, *sorted(macros)])})\s[^;{{(]*?(\w+)\s*\(")
    code = [re.sub(r"(?m)^#define .*$", "", source) for source in sources]
    names = {name for source in code for name in declaration.findall(source)}
    return re.compile(rf"\b({'|'.join(sorted(names))})(<.*>)?\(")


def newer_code(library: Path) -> dict[str, str]:
    """The first newer instruction of every function that has one and is not chosen at run time."""
    command = ["objdump", "-dC", "--no-show-raw-insn", str(library)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    dispatched = dispatched_functions()
    instructions: dict[str, str] = {}
    function = ""
    for line in listing.splitlines():
        begins = FUNCTION.match(line)
        if begins:
            function = begins[1]
            continue
        instruction = NEWER.search(line)
        if instruction and instruction[1] not in OLDER and not dispatched.search(function):
            instructions.setdefault(function, instruction[1])
    return instructions


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
