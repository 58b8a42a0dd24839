# distutils: language = c++
# distutils: extra_compile_args = -std=c++20
# cython: language_level=3, boundscheck=False, wraparound=False
"""The same without the GIL: frames are encoded by native code on any threads, and written in order."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from streambench.pyx.ordered_scheduler cimport NO_ROOM, OrderedScheduler
from streambench.pyx.threads cimport yield_core

cdef struct Frame:
    vector[int64_t]* file       # where to write it to
    int64_t number
    int64_t runs                # its size when encoded by run lengths


cdef bint encode(Frame* frame) noexcept nogil:
    """Count the runs of equal pixels; False for a damaged frame."""
    cdef int64_t i
    if frame.number % 10 == 7:
        return False
    frame.runs = 1
    for i in range(1, 100_000):
        frame.runs += (i * frame.number >> 12) != ((i - 1) * frame.number >> 12)
    return True


cdef void write(void* argument) noexcept nogil:
    """The task: only one runs at a time, so that the file needs no lock."""
    cdef Frame* frame = <Frame*>argument
    frame.file.push_back(frame.number)
    frame.file.push_back(frame.runs)


cdef class Encoder:
    """Encodes ``frames`` frames, which are numbered by their tickets."""

    cdef OrderedScheduler scheduler
    cdef vector[Frame] frames
    cdef vector[int64_t] file

    def __init__(self, int64_t frames):
        self.scheduler = OrderedScheduler(16)
        self.frames.resize(frames)

    def work(self, int64_t frames):
        """Encode the next ``frames`` frames; from any number of threads."""
        cdef int64_t k
        with nogil:
            for k in range(frames):
                self.encode_next()

    cdef void encode_next(self) noexcept nogil:
        cdef int64_t ticket = self.scheduler.take_ticket()
        cdef Frame* frame = &self.frames[ticket]        # the task's memory must live until its turn
        frame.file = &self.file
        frame.number = ticket
        if encode(frame):
            while self.scheduler.run_task(ticket, write, frame) == NO_ROOM:
                yield_core()
        else:
            while self.scheduler.trash_ticket(ticket) == NO_ROOM:
                yield_core()

    def written(self):
        """Return (number, runs) of each frame, in the order written."""
        return [(self.file[i], self.file[i + 1]) for i in range(0, <int64_t>self.file.size(), 2)]
