"""Memory is bounded by credit, and a run that is told to stop leaves nothing running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pipelines import EXECUTIONS
from thread_count import alive, none_left_behind

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource

pytestmark = pytest.mark.slow  # endless streams, many stops

HOW: dict[str, dict[str, Any]] = {"serial engine": {"engine": "serial"}, **EXECUTIONS}
every_engine = pytest.mark.parametrize("how", HOW)


@pytest.mark.parametrize(("unit", "credit"), [(1, 2), (1, 64), (64, 2), (64, 16), (1024, 4)])
@pytest.mark.parametrize(
    "how",
    [{"heuristic": "ct"}, {"heuristic": "ct", "fuse": False}, {"plan": "cut"}, {"plan": "sharded"}],
    ids=["schemes", "schemes, every operator by itself", "cut", "sharded"],
)
def test_tuples_in_flight_never_exceed_the_credit(
    probes: SimpleNamespace, unit: int, credit: int, how: dict[str, Any]
) -> None:
    """The sink waits until all credit is used up, then sleeps longer than all others work: no more is ever used."""
    gauge = probes.Gauge()
    pipeline = Pipeline(
        [
            probes.Counting(unit * credit * 4, gauge=gauge),
            probes.Map(),
            probes.KeyedCount(2),
            probes.Number(3),
            probes.Map(),
            probes.Recorder(gauge=gauge, nap=20_000 + 1_000 * unit, keep=False, behind=unit * credit),
        ]
    )
    execute(pipeline, Options(workers=3, unit=unit, credit=credit, partitions=10, pin=False, **how))
    assert pipeline.sink.tuples == unit * credit * 4
    assert gauge.peak == unit * credit


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("plan", ["cut", "sharded"])
def test_behind_a_slow_unit_the_credit_is_not_spent_on_tiny_ones(
    probes: SimpleNamespace, workers: int, plan: str
) -> None:
    """Tuples come one by one and the sink waits until 240 are under way: 16 units hold no fewer (test_admission)."""
    gauge = probes.Gauge()
    sink = probes.Recorder(gauge=gauge, behind=240)
    pipeline = Pipeline([probes.Counting(600, gauge=gauge), probes.KeyedCount(2), probes.Number(3), sink])
    execute(pipeline, Options(workers=workers, unit=4096, credit=16, rate=2_000, plan=plan, pin=False))
    assert [row[1] for row in sink.rows()] == list(range(600))
    assert not sink.gave_up


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize(
    ("how", "behind"),
    [
        ({"heuristic": "ct"}, 1),
        ({"heuristic": "ct", "fuse": False}, 1),
        ({"plan": "cut"}, 0),
        ({"plan": "sharded"}, 1),
    ],
    ids=["schemes", "schemes, every operator by itself", "cut", "sharded"],
)
def test_work_that_is_out_of_reach_keeps_nobody_from_other_work(
    probes: SimpleNamespace, workers: int, how: dict[str, Any], behind: int
) -> None:
    """One worker is in the only partition, and what waits there is delegated to it: others must serve the sink.

    With a serial segment whose stateless operators follow (``behind``) the worker keeps what it has processed for as
    long as it has the turn.
    """
    gauge = probes.Gauge()
    patient = probes.Patient(gauge)
    stateless = [probes.Map() for _ in range(behind)]
    pipeline = Pipeline(
        [probes.Counting(300, keys=1, gauge=gauge), patient, *stateless, probes.Recorder(gauge=gauge, keep=False)]
    )
    execute(pipeline, Options(workers=workers, unit=1, credit=16, partitions=10, pin=False, **how))
    assert patient.starved == 0
    assert pipeline.sink.tuples == 300


class EnoughError(Exception):
    """What a watch raises."""


@every_engine
@pytest.mark.parametrize("raised", [EnoughError, KeyboardInterrupt])
@pytest.mark.parametrize("workers", [1, 2, 16])
def test_what_a_watch_raises_stops_an_endless_stream(
    probes: SimpleNamespace, how: str, raised: type[BaseException], workers: int
) -> None:
    def watch(tuples: int) -> None:
        if tuples > 0:
            raise raised

    before = alive()
    pipeline = Pipeline([probes.Counting(), probes.KeyedSum(), probes.Total(), probes.Recorder(keep=False)])
    with pytest.raises(raised):
        execute(pipeline, Options(workers=workers, unit=16, partitions=10, pin=False, **HOW[how]), watch)
    assert none_left_behind(before)


@every_engine
def test_a_stop_reaches_a_worker_to_whom_others_delegate(probes: SimpleNamespace, how: str) -> None:
    """One hot partition: its worker is never out of work, and must stop all the same."""

    def watch(tuples: int) -> None:
        raise EnoughError

    operators = [probes.Counting(keys=1), probes.KeyedSum(jitter=2), probes.Recorder(keep=False)]
    with pytest.raises(EnoughError):
        execute(Pipeline(operators), Options(workers=4, unit=4, partitions=10, pin=False, **HOW[how]), watch)


ENDLESS = """
    import json, sys
    import probe_ends, probe_keyed_operators, streambench, streambench.lab.workloads.runner  # may lose a signal
    from streambench.execution.options import Options
    pipeline = streambench.Pipeline(
        [probe_ends.Counting(), probe_keyed_operators.KeyedSum(), probe_ends.Recorder(keep=False)]
    )
    watch = None
    if sys.argv[2] == "watched":
        watch = lambda tuples: None
    try:
        print("running", flush=True)
        pipeline.run(**json.loads(sys.argv[1]), workers=4, partitions=10, watch=watch)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""


@pytest.mark.parametrize("how", ["serial engine", "schemes", "auto", "sharded"])
@pytest.mark.parametrize("watched", ["watched", "alone"])
def test_ctrl_c_stops_an_endless_stream(script: Callable[..., subprocess.Popen[str]], how: str, watched: str) -> None:
    child = script(ENDLESS, json.dumps(HOW[how]), watched)
    assert child.stdout is not None
    assert child.stdout.readline() == "running\n"
    # The signal may come before the run has begun or in the middle of it: both must end it.
    timer = threading.Timer(0.3, child.send_signal, [signal.SIGINT])
    timer.start()
    try:
        assert child.communicate(timeout=60)[0] == "interrupted\n"
    finally:
        timer.join()
    assert child.returncode == 130


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads and pages by /proc")
@pytest.mark.skipif("STREAMBENCH_PROFILE" in os.environ, reason="a sanitizer needs the address space that this limits")
@pytest.mark.parametrize("how", ["plan='sharded'", "heuristic='ct'"])
def test_threads_that_cannot_start_stop_those_that_did(script: Callable[..., subprocess.Popen[str]], how: str) -> None:
    """Through the address-space limit: a thread's stack no longer fits, and the run ends with an error."""
    limited = """
        import resource
        import probe_ends, streambench.lab
        from pathlib import Path
        pipeline = streambench.Pipeline([probe_ends.Counting(), probe_ends.Recorder(keep=False)])
        from streambench.execution.execute import execute
        from streambench.execution.options import Options
        import os
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + (300 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        before = len(os.listdir("/proc/self/task"))
        try:
            execute(pipeline, Options(workers=512, unit=4, credit=512, pin=False, HOW))
        except Exception as error:
            print(type(error).__name__)
        import time
        for _ in range(2000):
            if len(os.listdir("/proc/self/task")) <= before:
                print("none left")
                break
            time.sleep(0.001)
    """
    told = script(limited.replace("HOW", how)).communicate(timeout=60)[0].splitlines()
    assert told[1:] == ["none left"]
    assert told[0].endswith("Error")


def batches(columns: list[np.ndarray[Any, Any]], sizes: list[int]) -> Any:
    at = 0
    for size in sizes:
        yield tuple(column[at : at + size] for column in columns)
        at += size


@pytest.mark.parametrize("unit", [1, 7, 1024])
@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("read_ahead", [1, 4])
@pytest.mark.parametrize("how", EXECUTIONS)
def test_a_stream_read_batch_by_batch_is_the_stream_in_memory(
    probes: SimpleNamespace, unit: int, workers: int, read_ahead: int, how: str
) -> None:
    keys, values = np.arange(3000, dtype=np.int64) % 41, np.arange(3000, dtype=np.int64)
    digests = []
    for source in (
        TableSource([keys, values], ("key", "value")),
        BatchSource(batches([keys, values], [1000, 0, 1, 0, 1500, 499]), ("key", "value"), read_ahead, 3000),
    ):
        pipeline = Pipeline([source, probes.KeyedSum(), probes.Total(), TableSink(keep=False)])
        execute(pipeline, Options(workers=workers, unit=unit, partitions=10, pin=False, **EXECUTIONS[how]))
        digests.append((pipeline.sink.digest, pipeline.sink.tuples))
    assert digests[0] == digests[1]
    assert digests[0][1] > 3000


@every_engine
def test_what_a_batch_iterator_raises_is_raised(probes: SimpleNamespace, how: str) -> None:
    def broken() -> Any:
        yield np.arange(5000, dtype=np.int64), np.arange(5000, dtype=np.int64)
        raise OSError("the disk is gone")

    before = alive()
    pipeline = Pipeline([BatchSource(broken(), ("key", "value")), probes.KeyedSum(), TableSink(keep=False)])
    with pytest.raises(OSError, match="the disk is gone"):
        execute(pipeline, Options(workers=4, unit=16, partitions=10, pin=False, **HOW[how]))
    assert none_left_behind(before)


def test_read_only_arrays_will_do(probes: SimpleNamespace) -> None:
    values = np.arange(100, dtype=np.int64)
    values.flags.writeable = False
    for source in (TableSource([values], ("value",)), BatchSource(iter([(values,)]), ("value",))):
        pipeline = Pipeline([source, TableSink()])
        execute(pipeline, Options(workers=2, unit=16, pin=False))
        assert pipeline.sink.rows()[0].tolist() == list(range(100))
