"""What the tests of the command line share: what a call printed, and tables made by hand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

NAMES = ["Bread", "Coffee", "Tea [hot]"]
DATE = 37_000


@dataclass(frozen=True)
class Called:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one sentence on standard error."""
        lines = self.err.strip().splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


Call = Callable[..., Called]


def start(*words: object, **options: object) -> subprocess.Popen[str]:
    """The command line as a process of its own."""
    arguments = [sys.executable, "-m", "streambench", *map(str, words)]
    return subprocess.Popen(arguments, text=True, **options)  # type: ignore[call-overload,no-any-return]


def write_sales(directory: Path, rows: list[tuple[int, int, int, int]] | None = None) -> None:
    """store_sales of (date, time, ticket, item): by default Bread sells with Coffee twice, with Tea once."""
    if rows is None:
        tickets = [(0, 0, (0, 1)), (0, 50, (0, 2)), (1, 10, (1, 0)), (2, 20, (2,))]
        rows = [
            (DATE + day, time + place, ticket, item)
            for ticket, (day, time, items) in enumerate(tickets)
            for place, item in enumerate(items)
        ]
    names = ("ss_sold_date_sk", "ss_sold_time_sk", "ss_ticket_number", "ss_item_sk")
    columns = {name: pa.array([row[place] for row in rows], pa.int64()) for place, name in enumerate(names)}
    columns["ss_store_sk"] = pa.array([10] * len(rows), pa.int64())
    paid = [Decimal(500 - 100 * (row[0] - DATE)).scaleb(-2) for row in rows]
    columns["ss_net_paid"] = pa.array(paid, pa.decimal128(7, 2))
    write_table(directory, "store_sales", columns)


def write_clicks(directory: Path) -> None:
    """web_clickstreams: user 7 views Coffee and Tea, and buys Bread."""
    columns = {
        "wcs_click_date_sk": [DATE] * 3,
        "wcs_click_time_sk": [1, 2, 3],
        "wcs_user_sk": [7] * 3,
        "wcs_sales_sk": [None, None, 1],
        "wcs_item_sk": [1, 2, 0],
        "wcs_web_page_sk": [0, 1, 1],
    }
    write_table(directory, "web_clickstreams", {name: pa.array(each, pa.int64()) for name, each in columns.items()})


def write_events(directory: Path) -> None:
    """ad_events: ad 0 is viewed twice in a window and once in the next, ad 1 is viewed once and clicked."""
    columns = {
        "ae_date_sk": [DATE] * 5,
        "ae_time_sk": [1, 2, 3, 4, 10],
        "ae_user_sk": [7] * 5,
        "ae_page_sk": [0] * 5,
        "ae_ad_sk": [0, 1, 0, 1, 0],
        "ae_event_type": [0, 0, 0, 1, 0],
    }
    write_table(directory, "ad_events", {name: pa.array(each, pa.int64()) for name, each in columns.items()})


def write_dimensions(directory: Path) -> None:
    """item: Bread is food (1), the rest drinks (0); web_page: 0 is dynamic, 1 a review; ads of campaigns 5 and 3."""
    item = {"i_item_sk": pa.array([0, 1, 2], pa.int64()), "i_category_id": pa.array([1, 0, 0], pa.int32())}
    write_table(directory, "item", item)
    page = {"wp_web_page_sk": pa.array([0, 1], pa.int64()), "wp_type": pa.array(["dynamic", "review"])}
    write_table(directory, "web_page", page)
    write_table(
        directory, "ads", {"a_ad_sk": pa.array([0, 1], pa.int64()), "a_campaign_sk": pa.array([5, 3], pa.int64())}
    )


def write_table(directory: Path, name: str, columns: dict[str, pa.Array]) -> None:
    """One file of one table."""
    (directory / name).mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), directory / name / "part-00000.parquet")
