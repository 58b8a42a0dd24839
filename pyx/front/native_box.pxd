"""Boxes that hold no GIL: what a box is called with, and what it gives, as C (paper 004,
section 2.1: the box interface).

A native box is a function ``void f(Call*)`` without state and without Python. The input labels have places, in the
order of the signature, from 0, and so have the output variants and the labels of each::

    from streambench.pyx.front.native_box cimport Call, doubles, give, n_doubles, put_doubles, put_tag, tag

    cdef api void scale(Call* call) noexcept nogil:     # box scale ((a, <k>) -> (a, <n>));
        cdef int64_t place, size = n_doubles(call, 0)   # 0 if it is no array of doubles
        cdef double* out
        give(call, 0)                                   # a record of the first variant
        out = put_doubles(call, 0, size)                # its a: memory to be filled
        for place in range(size):
            out[place] = doubles(call, 0)[place] * tag(call, 1)
        put_tag(call, 1, size)                          # its <n>

Tags that are not put are 0; a field that is not put, or a value that is not what the box takes it for, ends the run
with an error. What a box may see of a field: numbers, texts and one-dimensional arrays of NumPy; other objects it
can only hand on (`put_input`).
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.front.records cimport Field

cdef extern from "box_call.h":
    cppclass Given "streambench::FrontGiven" nogil:
        int64_t variant
        size_t first
    cppclass Shape "streambench::FrontShape" nogil:
        vector[char] input
        vector[vector[char]] outputs
    cppclass Call "streambench::FrontCall" nogil:
        const Shape* shape
        vector[int64_t] input
        vector[Given] given
        vector[int64_t] values
        const char* problem
        void clear()
    # Of the input: the tag at a place; a number; how long an array or text is; its memory, which is not to be changed.
    # Where a value is not of the kind, the answer is 0 or NULL: ask n_doubles or n_integers before memory is looked at.
    # `length` is that of any kind, so that the memory of another may be NULL all the same.
    int64_t tag "front_tag"(Call* call, int64_t place) noexcept nogil
    double number "front_number"(Call* call, int64_t place) noexcept nogil
    int64_t length "front_length"(Call* call, int64_t place) noexcept nogil
    int64_t n_doubles "front_n_doubles"(Call* call, int64_t place) noexcept nogil  # a single double is an array of one
    int64_t n_integers "front_n_integers"(Call* call, int64_t place) noexcept nogil
    double* doubles "front_doubles"(Call* call, int64_t place) noexcept nogil
    int64_t* integers "front_integers"(Call* call, int64_t place) noexcept nogil
    char* text "front_text"(Call* call, int64_t place) noexcept nogil                   # UTF-8, `length` bytes
    # One more record of a variant; the values are put into the latest one. Arrays: memory
    # to be filled, NULL if refused.
    void give "front_give"(Call* call, int64_t variant) noexcept nogil
    void put_tag "front_put_tag"(Call* call, int64_t place, int64_t value) noexcept nogil
    void put_number "front_put_number"(Call* call, int64_t place, double value) noexcept nogil
    void put_integer "front_put_integer"(Call* call, int64_t place, int64_t value) noexcept nogil
    double* put_doubles "front_put_doubles"(Call* call, int64_t place, int64_t length) noexcept nogil
    int64_t* put_integers "front_put_integers"(Call* call, int64_t place, int64_t length) noexcept nogil
    char* put_text "front_put_text"(Call* call, int64_t place, int64_t length) noexcept nogil
    # an input field as it is
    void put_input "front_put_input"(Call* call, int64_t place, int64_t source) noexcept nogil
    # The run ends with this sentence, "box f …": a literal, as it is not copied.
    void fail "front_fail"(Call* call, const char* what) noexcept nogil

ctypedef void (*BoxPointer)(Call* call) noexcept nogil

cdef inline object native(BoxPointer function):
    """A capsule of a function that Cython has checked, as one of ``cdef api`` is not, to be ``noexcept nogil``."""
    return PyCapsule_New(<void*>function, "void (Call *)", NULL)

cdef void run_box(BoxPointer function, Call* call) noexcept nogil       # std::bad_alloc passes

cdef class NativeBox:
    cdef BoxPointer function
    cdef Shape shape
    cdef object keeps                   # whatever the function lives in
    cdef void let_go(self, Call* call, size_t record)
    cdef list values_of(self, Call* call, size_t record)

cdef void drop_given(Call* call) noexcept nogil
cdef bint lacks(Call* call) noexcept nogil
cdef Field* field_of(object value, bint seen)
cdef object object_of(Field* field)
