"""What a native box calls (``streambench.pyx.front.native_box``), for functions that Numba compiles for C.

>>> from streambench.snet import numba_calls as snet
>>> @numba.cfunc("void(voidptr)")           # doctest: +SKIP
... def double(call):                       # box double ((<n>) -> (<n>));
...     snet.give(call, 0)
...     snet.put_tag(call, 0, 2 * snet.tag(call, 0))

Of an address an array is made by ``numba.carray(snet.doubles(call, 0), (snet.n_doubles(call, 0),))``.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, c_double, c_int64, c_uint8, c_void_p

from streambench.pyx.front.native_box import ADDRESSES

tag = CFUNCTYPE(c_int64, c_void_p, c_int64)(ADDRESSES["tag"])
number = CFUNCTYPE(c_double, c_void_p, c_int64)(ADDRESSES["number"])
length = CFUNCTYPE(c_int64, c_void_p, c_int64)(ADDRESSES["length"])
n_doubles = CFUNCTYPE(c_int64, c_void_p, c_int64)(ADDRESSES["n_doubles"])
n_integers = CFUNCTYPE(c_int64, c_void_p, c_int64)(ADDRESSES["n_integers"])
doubles = CFUNCTYPE(POINTER(c_double), c_void_p, c_int64)(ADDRESSES["doubles"])
integers = CFUNCTYPE(POINTER(c_int64), c_void_p, c_int64)(ADDRESSES["integers"])
text = CFUNCTYPE(POINTER(c_uint8), c_void_p, c_int64)(ADDRESSES["text"])
give = CFUNCTYPE(None, c_void_p, c_int64)(ADDRESSES["give"])
put_tag = CFUNCTYPE(None, c_void_p, c_int64, c_int64)(ADDRESSES["put_tag"])
put_number = CFUNCTYPE(None, c_void_p, c_int64, c_double)(ADDRESSES["put_number"])
put_integer = CFUNCTYPE(None, c_void_p, c_int64, c_int64)(ADDRESSES["put_integer"])
put_doubles = CFUNCTYPE(POINTER(c_double), c_void_p, c_int64, c_int64)(ADDRESSES["put_doubles"])
put_integers = CFUNCTYPE(POINTER(c_int64), c_void_p, c_int64, c_int64)(ADDRESSES["put_integers"])
put_text = CFUNCTYPE(POINTER(c_uint8), c_void_p, c_int64, c_int64)(ADDRESSES["put_text"])
put_input = CFUNCTYPE(None, c_void_p, c_int64, c_int64)(ADDRESSES["put_input"])
