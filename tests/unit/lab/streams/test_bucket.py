"""However a stream is cut into micro-batches, whatever is exported and imported between: the answer is SQL's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import small_data
from hypothesis import given, settings
from hypothesis import strategies as st

from streambench.lab.answers import oracle
from streambench.lab.answers.row_difference import row_difference
from streambench.lab.data import loader, lookup
from streambench.lab.data.catalog import Catalog
from streambench.lab.streams.bucket import Bucket, advance, close, next_due
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.queries import query as queries
from streambench.queries import stream_query

CASES = [(query, parameters) for query in stream_query.STREAMED for parameters in ("paper", "kit")]
CLOSE = ("pages_per_session", "slope", "intercept")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return Catalog.open(small_data.make(tmp_path_factory.mktemp("streams") / "d", 1, clicks_per_user=40).path)


def stream_of(data: Catalog, work: KeyedWork) -> pa.Table:
    stream = loader.load(data, work.stream.query.table, work.columns)
    arrays = {name: values.astype(np.int64) for name, values in zip(stream.names, stream.columns, strict=True)}
    return pa.table(arrays)


def work_over(data: Catalog, query: str, parameters: str) -> KeyedWork:
    found = {"categories": lookup.categories(data), "page_types": lookup.page_types(data)}
    return KeyedWork(query, parameters, found)


def require_right(data: Catalog, work: KeyedWork, added: list[pa.Table]) -> None:
    got = work.stream.answer(pa.concat_tables(added), work.parameters)
    expected = oracle.expected(data, work.query, work.parameter_set)
    assert row_difference(work.query, "answer", got, expected.select(got.column_names), CLOSE) is None


@pytest.mark.parametrize(("query", "parameters"), CASES)
def test_one_run_and_no_cut(data: Catalog, query: str, parameters: str) -> None:
    work = work_over(data, query, parameters)
    require_right(data, work, [close(work, Bucket(0, stream_of(data, work)))])


@pytest.mark.parametrize(("query", "parameters"), CASES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1 << 30), batches=st.integers(1, 12), lateness=st.sampled_from([0, 60, 7200]))
def test_micro_batches_of_shuffled_rows_through_bytes(
    data: Catalog, query: str, parameters: str, seed: int, batches: int, lateness: int
) -> None:
    """Rows come up to ``lateness`` seconds late, and state goes through bytes after each micro-batch."""
    work = work_over(data, query, parameters)
    rows = stream_of(data, work)
    random = np.random.default_rng(seed)
    ts = rows.column("ts").to_numpy()
    rows = rows.take(np.argsort(ts + random.integers(0, lateness + 1, len(ts)), kind="stable"))
    bucket, added, frontier = Bucket.empty(work), [], 0
    for part in np.array_split(np.arange(len(ts)), batches):
        step = advance(work, bucket, rows.take(part), frontier)
        assert step.late.num_rows == 0
        bucket = Bucket.from_bytes(*step.bucket.to_bytes())
        added.append(step.added)
        if len(part):
            frontier = max(frontier, int(rows.take(part).column("ts").to_numpy().max()) - lateness)
    require_right(data, work, [*added, close(work, bucket)])


def test_late_rows_change_nothing_and_are_given_back(data: Catalog) -> None:
    work = work_over(data, "q4", "paper")
    rows = stream_of(data, work)
    half = rows.num_rows // 2
    frontier = int(rows.column("ts")[half].as_py())
    step = advance(work, Bucket.empty(work), rows, frontier)
    again = advance(work, step.bucket, rows.slice(0, 10), frontier)
    assert again.late.equals(rows.slice(0, 10))
    assert again.bucket == step.bucket
    require_right(data, work, [step.added, again.added, close(work, again.bucket)])


@pytest.mark.parametrize("query", ["q2", "q3", "q4"])
def test_a_stream_that_falls_silent_is_closed_when_it_is_due(data: Catalog, query: str) -> None:
    """Without further rows everything is added once the watermark has passed what waits and what is open."""
    work = work_over(data, query, "paper")
    step = advance(work, Bucket.empty(work), stream_of(data, work), 0)
    added = [step.added]
    while (due := next_due(work, step.bucket)) is not None:
        before = step.bucket
        step = advance(work, before, work.no_rows, due)
        assert (step.bucket.waiting.num_rows, step.bucket.keys) != (before.waiting.num_rows, before.keys)
        added.append(step.added)
    assert step.bucket.keys == 0
    require_right(data, work, added)


def test_every_query_streams_or_has_a_reason_not_to() -> None:
    assert {*stream_query.STREAMED, *stream_query.REFUSED} == set(queries.names())
