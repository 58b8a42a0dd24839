"""`streambench report` writes one page, which a real browser draws and sorts; what is amiss is one sentence."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import made_up_results
import pytest
from hand_made import Call

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
OUTSIDE = """<!doctype html><title>outside</title>
<iframe src="report.html" style="width: 360px; height: 700px"></iframe>
<pre></pre>
<script>
addEventListener("load", () => {
  const inside = document.querySelector("iframe").contentDocument;
  const table = [...inside.querySelectorAll("table")].find(each => each.caption.textContent === "Verdicts");
  const heading = [...table.querySelectorAll("th")].find(each => each.textContent === "tuples/s");
  const column = () => [...table.tBodies[0].rows].map(row => row.cells[heading.cellIndex].textContent);
  const found = {before: column(), svg: inside.querySelectorAll("svg path").length};
  found.wide = inside.documentElement.scrollWidth;
  const style = inside.defaultView.getComputedStyle(inside.querySelector("svg"));
  found.ink = style.fill;
  for (const name of ["up", "down"]) {
    heading.querySelector("button").click();
    found[name] = column();
    found[name + " said"] = heading.getAttribute("aria-sort");
  }
  document.querySelector("pre").textContent = JSON.stringify(found);
});
</script>
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    for name, document in made_up_results.every().items():
        if name in ("older.json", "newer.json", "join.json"):
            (folder / name).write_text(json.dumps(document))
    return folder


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium; `make chromium` installs it")
def test_a_browser_draws_the_page_without_a_complaint_sorts_on_a_click_and_fits_a_phone(
    call: Call, results: Path, tmp_path: Path
) -> None:
    called = call("report", results, "--out", tmp_path / "report.html")
    assert (called.code, called.out) == (0, f"written: {tmp_path / 'report.html'}\n")
    (tmp_path / "outside.html").write_text(OUTSIDE)
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--allow-file-access-from-files", "--dump-dom"]
    page = (tmp_path / "outside.html").as_uri()
    seen = subprocess.run([CHROMIUM, *flags, page], capture_output=True, text=True, timeout=120, check=True)
    assert [line for line in seen.stderr.splitlines() if "CONSOLE" in line] == []
    printed = re.search(r"<pre>(.*?)</pre>", seen.stdout, re.DOTALL)
    assert printed is not None
    found = json.loads(printed[1])
    assert found["svg"] > 100
    assert found["wide"] <= 360
    assert found["ink"] == "rgb(22, 24, 29)"
    assert found["before"] == ["1.00 M", "990 k", "1.90 M"]
    assert (found["up"], found["up said"]) == (["990 k", "1.00 M", "1.90 M"], "ascending")
    assert (found["down"], found["down said"]) == (["1.90 M", "1.00 M", "990 k"], "descending")


def test_what_is_amiss_is_told_in_one_sentence_and_no_page_is_written(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert call("report", "--out", out).code == 2
    (tmp_path / "bad.json").write_text("{}")
    for name, sentence in (("none.json", "cannot be read"), ("bad.json", "no schema"), (".none", "cannot be read")):
        called = call("report", tmp_path / name, "--out", out)
        assert (called.code, sentence in called.error) == (1, True)
    called = call("report", tmp_path / "bad.json", "--out", tmp_path / "bad.json")
    assert (called.code, "is one of the files to be read" in called.error) == (1, True)
    assert not out.exists()
