"""Native boxes as Python has them, and fields as objects and as C."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uintptr_t
from libcpp.atomic cimport memory_order_acq_rel
from libcpp.vector cimport vector
from streambench.pyx.front.records cimport Field, delete_front_field, free_front_data, new_front_field
from streambench.pyx.machine.memory cimport has_memory

import sys

import numpy as np

from streambench.pyx.machine.memory import OUT_OF_MEMORY

__all__ = ["NativeBox", "ADDRESSES"]

cdef extern from "current_call.h":
    void front_run(BoxPointer function, Call* call) noexcept nogil
    void front_blame() noexcept nogil

cdef struct Called:
    BoxPointer function
    Call* call

ADDRESSES = {
    "tag": <uintptr_t>&tag, "number": <uintptr_t>&number, "length": <uintptr_t>&length,
    "n_doubles": <uintptr_t>&n_doubles,
    "n_integers": <uintptr_t>&n_integers, "doubles": <uintptr_t>&doubles, "integers": <uintptr_t>&integers,
    "text": <uintptr_t>&text, "give": <uintptr_t>&give, "put_tag": <uintptr_t>&put_tag,
    "put_number": <uintptr_t>&put_number,
    "put_integer": <uintptr_t>&put_integer, "put_doubles": <uintptr_t>&put_doubles,
    "put_integers": <uintptr_t>&put_integers, "put_text": <uintptr_t>&put_text, "put_input": <uintptr_t>&put_input,
}
"""What a native box may call, by name, for compilers that know of addresses only."""


cdef class NativeBox:
    """A box that is called without the GIL, by FRONT; Python may call it, too.

    ``function``: a capsule of a module's ``__pyx_capi__``, or an address; whoever gives one says that it is a
    function of one `Call*`, and ``keeps`` what it lives in; a capsule's name tells the C types, not
    ``noexcept nogil``. ``inputs``, ``outputs``: which labels are fields, of each variant. Raises TypeError for a
    capsule of another function.
    """

    def __init__(self, function, inputs, outputs, keeps=None):
        cdef vector[char] labels
        cdef const char* name
        if not isinstance(sys.unraisablehook, Heard):
            sys.unraisablehook = Heard(sys.unraisablehook)
        if isinstance(function, int):
            self.function = <BoxPointer><uintptr_t>function
        else:
            name = PyCapsule_GetName(function)
            if name is NULL or (<bytes>name).replace(b" ", b"") not in TAKEN:
                raise TypeError("it is a C function, but not void (Call*)")
            self.function = <BoxPointer>PyCapsule_GetPointer(function, name)
        self.keeps = function, keeps
        for each in inputs:
            self.shape.input.push_back(each)
        for variant in outputs:
            labels.clear()
            for each in variant:
                labels.push_back(each)
            self.shape.outputs.push_back(labels)

    def call(self, list values):
        """Call the box with the values of its input labels: a list of (variant, values), or a text: what went wrong.

        Raises MemoryError where the box is refused memory.
        """
        cdef Call call
        cdef Called called = Called(self.function, &call)
        cdef bint fine
        cdef size_t k
        cdef list outputs = []
        call.shape = &self.shape
        try:
            for k in range(self.shape.input.size()):
                call.input.push_back(<int64_t>field_of(values[k], True) if self.shape.input[k] else <int64_t>values[k])
            with nogil:
                fine = has_memory(run_called, &called)
            if not fine:
                raise MemoryError(OUT_OF_MEMORY)
            if call.problem is NULL and lacks(&call):
                call.problem = b"gives a record without one of its fields"
            if call.problem is not NULL:
                return (<bytes>call.problem).decode(errors="replace")
            for k in range(call.given.size()):
                outputs.append((call.given[k].variant, self.values_of(&call, k)))
            return outputs
        finally:
            for k in range(call.given.size()):
                self.let_go(&call, k)
            for k in range(call.input.size()):
                if self.shape.input[k]:
                    let_go_of(<Field*>call.input[k])

    cdef void let_go(self, Call* call, size_t record):
        cdef size_t k
        cdef int64_t* first = call.values.data() + call.given[record].first
        for k in range(self.shape.outputs[call.given[record].variant].size()):
            if self.shape.outputs[call.given[record].variant][k] and first[k] != 0:
                let_go_of(<Field*>first[k])

    cdef list values_of(self, Call* call, size_t record):
        cdef size_t k
        cdef const vector[char]* labels = &self.shape.outputs[call.given[record].variant]
        cdef int64_t* first = call.values.data() + call.given[record].first
        cdef list values = []
        for k in range(labels.size()):
            values.append(object_of(<Field*>first[k]) if labels[0][k] else first[k])
        return values


TAKEN = (b"void(streambench::FrontCall*)", b"void(Call*)")


class Heard:
    """`sys.unraisablehook` as it was, and a call that is under way in this thread ends the run: what Numba compiles for
    C goes back as if nothing had been raised."""

    def __init__(self, former):
        self.former = former

    def __call__(self, unraisable):
        front_blame()
        self.former(unraisable)


cdef void run_box(BoxPointer function, Call* call) noexcept nogil:
    front_run(function, call)


cdef void run_called(void* of) noexcept nogil:
    run_box((<Called*>of).function, (<Called*>of).call)


cdef class Memory:
    """What a native box has made of a field, as an array looks at it; freed with it once it is ``own``."""
    cdef void* data
    cdef Py_ssize_t length, size
    cdef bytes format
    cdef bint own

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        buffer.buf = self.data
        buffer.format = self.format
        buffer.internal = NULL
        buffer.itemsize = self.size
        buffer.len = self.length * self.size
        buffer.ndim = 1
        buffer.obj = self
        buffer.readonly = 0
        buffer.shape = &self.length
        buffer.strides = &self.size
        buffer.suboffsets = NULL

    def __dealloc__(self):
        if self.own:
            free_front_data(self.data)


cdef object object_of(Field* field):
    """The object of a field; made here if a native box has made the field, once, and the
    memory is then the object's."""
    cdef Memory memory
    cdef object array
    if field.object is not NULL:
        return <object>field.object
    if field.kind == c"c":
        return PyBytes_FromStringAndSize(<char*>field.data, field.length).decode(errors="replace")
    if field.single:
        return (<double*>field.data)[0] if field.kind == c"d" else (<int64_t*>field.data)[0]
    memory = Memory()
    memory.data, memory.length, memory.size, memory.format = (
        field.data, field.length, 8, b"d" if field.kind == c"d" else b"q")
    array = np.asarray(memory)
    if field.object is NULL:            # nobody was faster while NumPy had the GIL
        Py_INCREF(array)
        memory.own = True
        field.object = <void*>array
    return <object>field.object


cdef Field* field_of(object value, bint seen):
    """A field with this object; ``seen``: by native boxes, too."""
    cdef Field* field
    cdef Py_ssize_t length
    cdef const char* characters
    cdef Py_buffer buffer
    Py_INCREF(value)
    field = new_front_field(<void*>value)
    if not seen:
        return field
    if isinstance(value, (float, np.floating)):
        field.number = <double>value
        field.kind, field.single, field.length, field.data = c"d", True, 1, &field.number
    elif isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64)):
        if -2**63 <= value < 2**63:
            field.integer = <int64_t>value
            field.kind, field.single, field.length, field.data = c"q", True, 1, &field.integer
    elif isinstance(value, str):
        try:
            characters = PyUnicode_AsUTF8AndSize(value, &length)
        except UnicodeError:            # lone surrogates: no native box sees it
            return field
        field.kind, field.length, field.data = c"c", length, <void*>characters
    elif isinstance(value, np.ndarray) and value.dtype in SEEN and value.flags.c_contiguous:
        field.kind, field.length = c"d" if value.dtype == np.float64 else c"q", value.size
        PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE)
        field.data = buffer.buf         # it is there as long as the array
        PyBuffer_Release(&buffer)
    return field


SEEN = (np.dtype(np.float64), np.dtype(np.int64))


cdef void let_go_of(Field* field):
    """One owner less, where the GIL is held."""
    if field.owners.fetch_sub(1, memory_order_acq_rel) == 1:
        if field.object is NULL:
            free_front_data(field.data)
        else:
            Py_DECREF(<object>field.object)
        delete_front_field(field)


cdef void drop_given(Call* call) noexcept nogil:
    """The fields of all records given go, except those that the caller has taken (0)."""
    cdef size_t k, j
    cdef const vector[char]* labels
    cdef int64_t* first
    for k in range(call.given.size()):
        labels = &call.shape.outputs[call.given[k].variant]
        first = call.values.data() + call.given[k].first
        for j in range(labels.size()):
            if labels[0][j] and first[j] != 0:
                drop_fresh(<Field*>first[j])
                first[j] = 0


cdef void drop_fresh(Field* field) noexcept nogil:
    """A field of a call: its own, or the input's, which the caller has, too, so that it does not go here."""
    if field.owners.fetch_sub(1, memory_order_acq_rel) == 1:
        free_front_data(field.data)
        delete_front_field(field)


cdef bint lacks(Call* call) noexcept nogil:
    """Whether a record that was given lacks a field."""
    cdef size_t k, j
    cdef const vector[char]* labels
    for k in range(call.given.size()):
        labels = &call.shape.outputs[call.given[k].variant]
        for j in range(labels.size()):
            if labels[0][j] and call.values[call.given[k].first + j] == 0:
                return True
    return False
