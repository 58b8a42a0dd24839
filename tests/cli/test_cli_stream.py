"""Streams on Spark end with SQL's answer, however they are cut, killed or fed; what cannot be is a sentence."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import small_data
from click.testing import CliRunner

from streambench.errors import StreambenchError
from streambench.lab.answers import oracle
from streambench.lab.cli import cli
from streambench.lab.data.catalog import Catalog
from streambench.lab.streams import answer, run
from streambench.lab.streams import checkpoint as checkpoint_of
from streambench.lab.streams.session import session
from streambench.lab.streams.terms import StreamTerms
from streambench.queries import stream_query

MASTER = "local[2]"
FILES = 6
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small data in several files, whose times ascend by a second, as Spark takes them."""
    made = small_data.make(tmp_path_factory.mktemp("streams") / "d", 1, clicks_per_user=40, files=FILES).path
    for table in ("web_clickstreams", "store_sales"):
        for k, file in enumerate(sorted((made / table).glob("*.parquet"))):
            os.utime(file, (1_700_000_000 + k, 1_700_000_000 + k))
    return made


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """One Spark for the whole file: commands that name its master use it."""
    with session(MASTER, 2) as opened:
        yield opened


def stream(*words: object) -> Any:
    return CliRunner().invoke(
        cli, ["spark", "stream", *map(str, words), "--master", MASTER, "--buckets", "2", "--json", "-"]
    )


def done(*words: object) -> dict[str, Any]:
    told = stream(*words)
    assert told.exit_code == 0, (told.output, told.exception)
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def require_right(data: Path, query: str, told: dict[str, Any]) -> None:
    expected = oracle.expected(Catalog.open(data), query, "paper").to_pylist()
    assert len(told["answer"]) == len(expected)
    for got, row in zip(told["answer"], expected, strict=True):
        assert got == {name: pytest.approx(value, rel=1e-9) for name, value in row.items()}


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("query", stream_query.STREAMED)
def test_files_in_micro_batches(data: Path, tmp_path: Path, query: str) -> None:
    told = done(query, "--data", data, "--checkpoint", tmp_path / "c", "--files-per-trigger", 2)
    assert told["batches"] >= FILES // 2
    assert told["late"] == told["unreadable"] == 0
    assert told["rows"] == Catalog.open(data).table(stream_query.find(query).query.table).rows
    require_right(data, query, told)


def committed(checkpoint: Path) -> int:
    return len(list((checkpoint / "spark" / "commits").glob("[0-9]*")))


@pytest.mark.usefixtures("spark")
def test_killed_it_goes_on_with_no_row_lost_or_doubled(data: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"
    words = [
        "spark",
        "stream",
        "q4",
        "--data",
        data,
        "--checkpoint",
        checkpoint,
        "--files-per-trigger",
        1,
        "--buckets",
        2,
    ]
    command = [sys.executable, "-m", "streambench", *map(str, words), "--master", MASTER]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while committed(checkpoint) < 2:
            assert process.poll() is None
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # Spark's JVM and its Python workers, too
        process.wait()
    assert committed(checkpoint) < FILES
    told = done("q4", "--data", data, "--checkpoint", checkpoint, "--files-per-trigger", 1)
    assert told["goes_on"]
    assert 0 < told["rows"] < Catalog.open(data).table("web_clickstreams").rows
    require_right(data, "q4", told)
    again = done("q4", "--data", data, "--checkpoint", checkpoint, "--files-per-trigger", 1)
    assert again["rows"] == 0
    assert again["answer"] == told["answer"]


def lines(data: Path) -> list[str]:
    columns = pq.read_table(data / "web_clickstreams").to_pylist()
    return [json.dumps(row) for row in columns]


class Feed:
    """A server of one socket, for who stays: who only asks whether anybody answers has gone before the first line."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.open: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                self.open.append(self.server.accept()[0])

    def send(self, given: list[str]) -> None:
        """To the one who came last."""
        self.open[-1].sendall("".join(f"{line}\n" for line in given).encode())

    def close(self) -> None:
        for one in (self.server, *self.open):
            one.close()


def told_until(process: subprocess.Popen[str], what: Callable[[dict[str, int]], bool]) -> dict[str, int]:
    """The sums of what the micro-batches tell, until they are so."""
    total = {"rows": 0, "late": 0, "unreadable": 0, "batches": 0}
    assert process.stderr is not None
    while not what(total):
        line = process.stderr.readline()
        assert line, (process.wait(), total)
        if line.startswith("batch "):
            total["batches"] += 1
            for name in ("rows", "late", "unreadable"):
                found = re.search(rf"([\d,]+) {name}\b", line)
                assert found
                total[name] += int(found[1].replace(",", ""))
    return total


def test_a_socket_is_read_until_ctrl_c_and_late_and_unreadable_lines_are_told(
    data: Path, tmp_path: Path, spark: Any
) -> None:
    """Ctrl-C leaves all that was committed: the answer is SQL's, and the late line lies in the output."""
    given, feed, checkpoint = lines(data), Feed(), tmp_path / "c"
    words = ["q4", "--source", "socket", "--host", f"127.0.0.1:{feed.port}", "--data", str(data), "--checkpoint"]
    words += [str(checkpoint), "--buckets", "2", "--master", MASTER, "--trigger", "200ms"]
    command = [sys.executable, "-m", "streambench", "spark", "stream", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while len(feed.open) < 2 or not (checkpoint / "spark" / "metadata").exists():  # the first one only asks
            assert process.poll() is None
            time.sleep(0.05)
        feed.send([*given, "no JSON"])
        told = told_until(process, lambda total: total["rows"] == len(given) + 1)
        assert told["unreadable"] == 1
        assert told["late"] == 0
        told_until(process, lambda total: total["batches"] == 1)  # by the watermark alone
        feed.send([next(line for line in given if json.loads(line)["wcs_user_sk"] is not None)])
        assert told_until(process, lambda total: total["late"] == 1)["rows"] == 1
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
        assert process.returncode == 130, rest
        assert "Traceback" not in rest
    finally:
        process.kill()
        process.communicate()
    terms = StreamTerms("q4", "socket", checkpoint, data=data, place=words[4], buckets=2, trigger=0.2)
    found = answer.answer(spark, terms, run.work_of(terms))
    assert found.late == 1
    require_right(data, "q4", {"answer": found.table.to_pylist()})
    with pytest.raises(StreambenchError, match="cannot be had again"):
        checkpoint_of.claim(terms)
    feed.close()


def refused(*words: object) -> str:
    told = stream(*words)
    assert told.exception is not None
    return str(told.exception)


@pytest.mark.usefixtures("spark")
def test_a_source_that_does_not_fit_is_refused_and_leaves_no_checkpoint(data: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    common = ("q4", "--data", data, "--checkpoint", checkpoint, "--host", f"127.0.0.1:{port}")
    assert "No socket answers" in refused(*common, "--source", "socket")
    assert "No Kafka broker answers" in refused(*common, "--source", "kafka", "--topic", "t")
    other = tmp_path / "d"
    shutil.copytree(data, other)
    for file in (other / "web_clickstreams").glob("*.parquet"):
        table = pq.read_table(file)
        pq.write_table(table.drop_columns(["wcs_user_sk"]), file)
    assert "has no column wcs_user_sk" in refused("q4", "--data", other, "--checkpoint", checkpoint)
    assert not checkpoint.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["q1"], "q1 is no stream (a ticket's lines may come at any time"),
        (["q9"], "there is no such query"),
        (["q4"], "needs `data`"),
        (["q4", "--source", "socket"], "needs `host`"),
        (["q4", "--source", "rate"], "looks up the table web_page"),
        (["q4", "--data", "d", "--topic", "t"], "`topic` and the source kafka"),
        (["q4", "--data", "d", "--buckets", "0"], "`buckets` must be 1"),
        (["q4", "--source", "rate", "--trigger", "available-now"], "never ends"),
    ],
)
def test_what_cannot_be_asked_for(tmp_path: Path, words: list[str], told: str) -> None:
    found = CliRunner().invoke(cli, ["spark", "stream", *words, "--checkpoint", str(tmp_path / "c")])
    assert told.replace("`", "") in str(found.exception).replace("--", "")
    assert not (tmp_path / "c").exists()


def test_without_java_there_is_a_sentence_and_no_checkpoint(data: Path, tmp_path: Path) -> None:
    words = ["spark", "stream", "q4", "--data", str(data), "--checkpoint", str(tmp_path / "c")]
    command = [sys.executable, "-m", "streambench", *words]
    told = subprocess.run(command, env={**os.environ, "JAVA_HOME": str(tmp_path)}, capture_output=True, text=True)
    assert told.returncode == 1
    assert "Spark needs Java" in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert not (tmp_path / "c").exists()
