"""Records from dicts and back; what has gone wrong is kept, and stops the run."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.front.further_labels cimport add_label, is_among, lose_label, word_in, word_of
from streambench.pyx.front.native_box cimport field_of, object_of
from streambench.pyx.front.property_graph cimport PropertyGraph
from streambench.pyx.front.records cimport FOREIGN, REST, drop_field, lowest_bit
from streambench.pyx.machine.memory cimport lengthen

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef extern from * namespace "streambench":
    bint has_memory_with_gil "streambench::has_memory"(void (*body)(void*) noexcept, void* argument) noexcept


cdef class Values(Garbage):
    """``labels``: the program's labels; those without a name stand for words of labels and what the program does not
    know (see record_layout.pxd). ``error``: what a box or the source raised; ``failure``: (node, dict of the record)
    where a record could not go on.
    """

    def __init__(self, PropertyGraph graph, int workers, list labels):
        super().__init__(graph, workers)
        self.names = labels
        self.numbers = {name: number for number, name in enumerate(labels)}

    cdef dict seen(self, Record* record, Labels* labels):
        """The record's values of these ``labels`` (NULL: all), by name."""
        cdef uint64_t left
        cdef int64_t word, label
        cdef dict values = {}
        for word in range(self.graph.further + 1):
            left = word_in(record, word)[0]
            if labels is not NULL:
                left &= word_of(labels, word)
            while left:
                label = 64 * word + lowest_bit(left)
                left &= left - 1
                if label == self.graph.further + REST:
                    values.update(object_of(<Field*>record.values[label]))
                elif is_among(&self.graph.fields, label):
                    values[self.names[label]] = object_of(<Field*>record.values[label])
                elif label != self.graph.further + FOREIGN:
                    values[self.names[label]] = record.values[label]
        return values

    cdef int put(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1:
        """The record loses what is ``consumed`` (NULL: nothing), and has the ``values``."""
        cdef vector[int64_t] labels_put
        cdef dict rest = {}
        cdef int64_t label, word
        cdef size_t k
        cdef uint64_t left
        lengthen(worker.made, self.graph.labels)
        labels_put.reserve(len(values) + 2)
        try:                                # the record is not touched before all values are there
            for name, value in values.items():
                if name in self.numbers:
                    label = self.numbers[name]
                    worker.made[label] = (<int64_t>self.field(value) if is_among(&self.graph.fields, label)
                                          else <int64_t>value)
                    labels_put.push_back(label)
                else:
                    rest[name] = value
            if rest:
                worker.made[self.graph.further + REST] = <int64_t>self.field(rest)
                labels_put.push_back(self.graph.further + REST)
                if any(name.startswith("<#") for name in rest):
                    worker.made[self.graph.further + FOREIGN] = 0
                    labels_put.push_back(self.graph.further + FOREIGN)
        except BaseException:
            for k in range(labels_put.size()):
                if is_among(&self.graph.fields, labels_put[k]):
                    drop_field(worker.pool, <Field*>worker.made[labels_put[k]])
            raise
        for word in range(self.graph.further + 1 if consumed is not NULL else 0):
            left = word_of(consumed, word) & word_in(record, word)[0]
            while left:
                lose_label(worker.pool, record, 64 * word + lowest_bit(left))
                left &= left - 1
        for k in range(labels_put.size()):
            lose_label(worker.pool, record, labels_put[k])
            record.values[labels_put[k]] = worker.made[labels_put[k]]
            add_label(record, labels_put[k])
        return 0

    cdef int fill_in(self, Worker* worker, Record* record, Labels* consumed, dict values) except -1:
        """`put`, for a record that nobody else has: without its values it is no more."""
        try:
            return self.put(worker, record, consumed, values)
        except BaseException:
            self.drop(worker, record)
            raise

    cdef Field* field(self, object value):
        return field_of(value, self.native)

    cdef void give_up(self, problem) noexcept:
        if self.error is None and self.failure is None:
            self.error = problem
        self.token.stop()

    cdef void within_memory(self, void (*body)(void*) noexcept, Job* job) noexcept:
        """What C++ is refused must not leave a function that has the GIL."""
        if not has_memory_with_gil(body, job):
            self.give_up(MemoryError(OUT_OF_MEMORY))
