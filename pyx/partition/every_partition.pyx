"""Operators whose partitions are called with every unit that has rows, whether or not these belong to them.

A partition's rows alone do not tell it how far the stream has come. Such an operator looks at the unit's other rows:
``process`` is called once for each partition, with ``n`` 0 where the unit has none of its own.
"""

from cpython.object cimport PyObject, PyTypeObject

cdef extern from *:
    """
    namespace streambench {
    // The type's method resolution order does not change while operators run, so that no lock is needed to look at it.
    inline bool is_instance(PyObject* one, PyTypeObject* type) { return PyType_IsSubtype(Py_TYPE(one), type); }
    }
    """
    bint is_instance "streambench::is_instance"(PyObject* one, PyTypeObject* type) noexcept nogil


cdef class EveryPartition(PartitionedStateful):
    """A partitioned operator that is called so; an abstract class, as those are that it extends."""


cdef bint wants_every_unit(PartitionedStateful operator) noexcept nogil:
    """Whether all its partitions are called with each unit."""
    return is_instance(<PyObject*>operator, every_partition)


cdef PyTypeObject* every_partition = <PyTypeObject*>EveryPartition     # borrowed: the module keeps it
