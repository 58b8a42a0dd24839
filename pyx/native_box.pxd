"""Boxes of S-NET that hold no GIL. For users: see ``streambench.pyx.front.native_box``."""

from streambench.pyx.front.native_box cimport (
    Call, doubles, fail, give, integers, length, n_doubles, n_integers, native, number, put_doubles, put_input,
    put_integer, put_integers, put_number, put_tag, put_text, tag, text,
)
