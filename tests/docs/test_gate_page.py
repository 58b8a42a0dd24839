"""What the gate's page and the README tell users to copy is what there is."""

from __future__ import annotations

import re
from pathlib import Path

from streambench.lab.gate.gate import Outcome
from streambench.lab.gate.settings import read

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "gate.md").read_text()
ACTION = (ROOT / "action.yml").read_text()


def block(text: str, kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_five_lines_are_those_of_the_first_page_and_name_inputs_of_the_action() -> None:
    lines = block((ROOT / "README.md").read_text(), "yaml")
    assert lines == block(PAGE, "yaml")
    assert len(lines.splitlines()) == 5
    given = re.findall(r"streambench@\S+, with: {(\w+):", lines)
    assert given
    inputs = re.findall(r"^  ([\w-]+):$", ACTION.split("outputs:")[0], re.MULTILINE)
    assert set(given) <= set(inputs)
    used = re.findall(r"inputs\.([\w-]+)", ACTION)
    assert set(used) == set(inputs)


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    workflow = (ROOT / ".github" / "workflows" / "gate.yml").read_text()
    steps = [each for each in workflow.split("- uses: ") if each.startswith("./")]
    given = re.findall(r"^ {10}([\w-]+):", "".join(steps), re.MULTILINE)
    assert "base" in given
    assert all(re.search(rf"^  {name}:$", ACTION, re.MULTILINE) for name in given)


def test_the_documented_settings_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text(block(PAGE, "toml"))
    assert "mine" in read(file).workloads


def test_the_page_tells_every_exit_code() -> None:
    told = re.findall(r"^\| (\d) \| ", PAGE, re.MULTILINE)
    assert [int(each) for each in told] == [int(each) for each in Outcome]
