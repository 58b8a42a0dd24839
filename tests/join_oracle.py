"""What a join must give: two streams with many ties, and the exact rule in SQL."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

N = 600


def sides(seed: int = 7) -> tuple[pa.Table, pa.Table]:
    """The paper's tuples (001, section VI), and a user."""
    random = np.random.default_rng(seed)

    def times() -> Any:
        return np.sort(random.integers(-500, 500, N)) // 7 * 7

    left = {
        "ts": times(),
        "x": random.integers(1, 200, N).astype(np.int32),
        "y": random.uniform(1, 200, N).astype(np.float32),
        "z": pa.array([bytes([65 + k % 26]) * 20 for k in range(N)], pa.binary(20)),
        "user": pa.array([f"u{k}" for k in random.integers(0, 30, N)]),
    }
    right = {
        "ts": times(),
        "a": random.integers(1, 200, N).astype(np.int16),
        "b": random.uniform(1, 200, N).astype(np.float32),
        "c": random.uniform(0, 1, N),
        "d": random.integers(0, 2, N).astype(bool),
        "user": pa.array([f"u{k}" for k in random.integers(0, 30, N)]),
    }
    return pa.table(left), pa.table(right)


def by_duckdb(left: pa.Table, right: pa.Table, condition: str, window: int) -> pa.Table:
    """The exact rule and the order, in SQL."""
    left = left.append_column("l", pa.array(range(len(left)), pa.int64()))
    right = right.append_column("r", pa.array(range(len(right)), pa.int64()))
    connection = duckdb.connect()
    connection.register("left_side", left)
    connection.register("right_side", right)
    found = connection.sql(
        f"""
        SELECT greatest(left_side.ts, right_side.ts) AS ts, left_side.* EXCLUDE (ts), right_side.* EXCLUDE (ts)
        FROM left_side, right_side
        WHERE abs(left_side.ts - right_side.ts) <= {window} AND {condition}
        ORDER BY ts, left_side.ts <= right_side.ts,
            CASE WHEN left_side.ts <= right_side.ts THEN r ELSE l END,
            CASE WHEN left_side.ts <= right_side.ts THEN l ELSE r END
        """
    ).to_arrow_table()
    return found.drop_columns(["l", "r"])
