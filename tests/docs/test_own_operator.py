"""The documented example of an operator of one's own builds as a third party would, and prints what is documented."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_documented_example_builds_against_the_pxd_files_and_prints_what_the_page_says(tmp_path: Path) -> None:
    page = (DOCS / "writing-operators.md").read_text()
    commands, printed = re.findall(r"```\n(.*?)```", page, flags=re.DOTALL)[:2]
    work = shutil.copytree(DOCS / "examples" / "own_operator", tmp_path / "own_operator")
    output = ""
    for line in commands.strip().splitlines()[1:]:  # the first one changes the folder
        program, *arguments = line.split()
        assert program == "python"
        done = subprocess.run([sys.executable, *arguments], cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        output = done.stdout
    assert output == printed
