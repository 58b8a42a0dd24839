"""What a run takes in memory does not grow with the records that pass."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from sanitized import SANITIZED

PROGRAM = """
import resource, sys
from streambench.lab.measure.snet.cases import CASES
case = CASES["filters"]
net = case.net()
before = 0
for size in (20_000, 500_000):
    made = list(net.run(case.records(size, 0), None, runtime="front", workers=int(sys.argv[1])))
    assert case.problem(size, made) is None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown, before = peak - before, peak
print(grown)
"""
SLACK_KIB = 4096  # of a record's 100 bytes, half a million would take ten times as much


@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps what was freed")
@pytest.mark.parametrize("workers", [1, 2])
def test_half_a_million_records_take_no_more_memory_than_20_thousand(workers: int) -> None:
    run = [sys.executable, "-c", PROGRAM, str(workers)]
    grown = subprocess.run(
        run, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONWARNINGS": "ignore"}
    )
    assert int(grown.stdout) < SLACK_KIB
