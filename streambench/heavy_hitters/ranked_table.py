"""What occurs most often, as a table: by estimate, then by item."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from streambench.heavy_hitters.answer import Answer

ORDER = [("estimate", "descending"), ("item", "ascending")]


def top_table(answer: Answer, type: pa.DataType, k: int) -> pa.Table:
    """The ``k`` rows (item, estimate, lower, upper, guaranteed) of the highest estimates, then of the lower items.

    ``type``: of the column that was counted, which the items have again; a dictionary's are its values.
    """
    table = _ordered(answer.to_table(), type)
    first = table.slice(0, k)
    others = max(answer.floor, pc.max(table["upper"].slice(k)).as_py() or 0)
    return first.set_column(4, "guaranteed", pc.greater_equal(first["lower"], others))


def frequent_table(answer: Answer, type: pa.DataType, phi: float) -> pa.Table:
    """The rows of all items that may have occurred more than ``phi`` n times; those that surely have are guaranteed."""
    return _ordered(answer.frequent(phi).to_table(), type)


def _ordered(rows: pa.Table, type: pa.DataType) -> pa.Table:
    items = rows["item"]
    comparable = items.cast(pa.float32()) if is_.is_float16(items.type) else items  # Arrow cannot sort halves
    rows = rows.take(pc.sort_indices(rows.set_column(0, "item", comparable), sort_keys=ORDER))
    return rows.set_column(0, "item", rows["item"].cast(type.value_type if is_.is_dictionary(type) else type))
