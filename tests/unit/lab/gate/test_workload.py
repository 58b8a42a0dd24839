"""A gate's workloads: what they need, what their JSON says, and whether a list of frequent items is right."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.settings import COUNTED, WORKLOADS
from streambench.lab.gate.workload import Workload, check_counts


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Items 7, 7, 7, 8, 8, 9 and a null."""
    folder = tmp_path / "data" / "web_clickstreams"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"wcs_item_sk": [7, 8, 7, None, 9, 8, 7]}), folder / "part-0.parquet")
    return folder.parent


def test_every_built_in_workload_has_all_that_it_needs(data: Path, tmp_path: Path) -> None:
    for name, template in [*WORKLOADS.items(), *COUNTED.items()]:
        words = Workload(name, template).words(3, 2, data, tmp_path)
        assert not [word for word in words if "{" in word]


def test_items_are_repeated_in_the_order_of_time(data: Path, tmp_path: Path) -> None:
    words = Workload("topk", "topk {items} --column item").words(2, 1, data, tmp_path)
    rows = pq.read_table(words[1])
    assert words[-3:] == ["--quiet", "--json", "-"]
    assert rows["item"].to_pylist() == [7, 8, 7, 9, 8, 7] * 2
    assert rows["ts"].to_pylist() == list(range(12))


def test_what_needs_data_or_is_no_command_of_a_gate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoVerdictError, match="--data"):
        Workload("q1", WORKLOADS["q1"]).words(1, 1, None, tmp_path)
    with pytest.raises(NoVerdictError, match="'datagen'"):
        Workload("mine", "datagen --out x")
    with pytest.raises(NoVerdictError, match="counts can be checked"):
        Workload("mine", "topk clicks.parquet --column page")


def test_of_what_a_command_says_the_metrics_that_it_has_are_taken() -> None:
    said = {"throughput": 2.0, "latency": {"p50": 0.5, "p99": None, "max": 3.0}}
    assert Workload("q1", "run q1").metrics(said) == {"throughput": 2.0, "p50": 0.5}
    assert Workload("topk", "topk {items} --column item").metrics({"updates_per_second": 4.0}) == {"throughput": 4.0}


@pytest.mark.parametrize("value", ["1,5", 0, -1.0, float("nan"), float("inf"), 10**400, 1e-320, 1e308, True, [1.0], {}])
def test_what_has_no_ratio_is_no_metric(value: object) -> None:
    for said, name in (({"throughput": value}, "throughput"), ({"latency": {"p99": value}}, "p99")):
        with pytest.raises(ValueError, match=f"^{name} is .{{1,70}}, which is no number above 0$"):
            Workload("q1", "run q1").metrics(said)


@pytest.mark.parametrize("value", ["1e-3", 3, [1.0, 2.0], False])
def test_latency_that_holds_no_quantiles_is_told(value: object) -> None:
    with pytest.raises(ValueError, match=r"^latency is .*, which holds no quantiles$"):
        Workload("q1", "run q1").metrics({"throughput": 2.0, "latency": value})


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([(7, 3, 3), (8, 2, 3)], None),
        ([(7, 3, 3), (8, 3, 3)], "item 8"),  # it occurs twice
        ([(8, 2, 2), (9, 1, 1)], "item 7"),  # it is missing
    ],
)
def test_a_list_of_frequent_items_is_compared_with_exact_counts(
    data: Path, tmp_path: Path, rows: list[tuple[int, int, int]], wrong: str | None
) -> None:
    items = Path(Workload("topk", "topk {items} --column item").words(1, 1, data, tmp_path)[1])
    columns = dict(zip(("item", "lower", "estimate"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), tmp_path / "rows.parquet")
    if wrong is None:
        check_counts(items, tmp_path / "rows.parquet")
    else:
        with pytest.raises(NoAnswerError, match=wrong):
            check_counts(items, tmp_path / "rows.parquet")
