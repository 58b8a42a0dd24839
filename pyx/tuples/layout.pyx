"""Layouts: the types of a unit's columns, and how many bytes a value takes.

Python names the types as NumPy does: int8 to int64, uint8 to uint64, float32, float64, bool, and V20 for 20 bytes.
"""

from libc.string cimport memset
from streambench.pyx.machine.memory cimport enlarge

import numpy as np

from streambench.pyx.tuples.errors import UnfitTypeError

CODES = {
    "int64": INT64, "int32": INT32, "int16": INT16, "int8": INT8,
    "uint64": UINT64, "uint32": UINT32, "uint16": UINT16, "uint8": UINT8,
    "float64": FLOAT64, "float32": FLOAT32, "bool": BOOL,
}
MOST_COLUMNS = MAX_COLUMNS
LARGEST_VALUE = 1 << 16                 # bytes

cdef dict layouts = {}                  # by types: the address; there are as many as a program has kinds of tuples


def type_named(name) -> np.dtype:
    """The type that NumPy calls ``name``, or that ``name`` is. Raises UnfitTypeError where no column can have it."""
    if name is None:                    # which means float64 to NumPy
        raise UnfitTypeError(f"None is no type: a column's is one of {', '.join(CODES)}, or V20 for 20 bytes")
    try:
        type = np.dtype(name).newbyteorder("=")
    except TypeError:
        raise UnfitTypeError(
            f"there is no type {name!r}: a column's is one of {', '.join(CODES)}, or V20 for 20 bytes"
        ) from None
    if type.name in CODES:
        return type
    if type.kind == "V" and type.names is None and type.subdtype is None and 0 < type.itemsize <= LARGEST_VALUE:
        return type
    raise UnfitTypeError(
        f"a column cannot hold {type.name}: its type is one of {', '.join(CODES)}, or V20 for 20 bytes"
    )


cdef LayoutPointer layout_of(tuple types) except? NULL:
    """The layout of columns of these NumPy types; NULL where all are int64, and with an exception."""
    cdef Layout* layout
    cdef int32_t k
    if len(types) > MAX_COLUMNS:
        raise ValueError(f"{len(types)} columns; at most {MAX_COLUMNS} are possible")
    if all(each == np.int64 for each in types):
        return NULL
    key = tuple(each.str for each in types)
    if key not in layouts:
        layout = <Layout*>enlarge(NULL, sizeof(Layout))
        memset(layout, 0, sizeof(Layout))
        layout.width = <int32_t>len(types)
        for k, each in enumerate(types):
            layout.type[k] = CODES.get(each.name, BINARY)
            layout.size[k] = each.itemsize
        layouts[key] = <size_t>layout
    return <LayoutPointer><size_t>layouts[key]


cdef tuple values_of(const char* values, LayoutPointer layout, int32_t width):
    """The Python values of one tuple whose ``values`` lie one behind the other."""
    cdef int32_t k, at = 0, size
    listed = []
    for k in range(width):
        size = size_of(layout, k)
        code = type_of(layout, k)
        one = <bytes>values[at:at + size]
        if code != BINARY:
            one = np.frombuffer(one, dtype=next(name for name, each in CODES.items() if each == code)).item()
        listed.append(one)
        at += size
    return tuple(listed)
