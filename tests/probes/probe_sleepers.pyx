"""Operators that wait for one another and for sleepers, so that a wake-up is needed at a moment that the test knows."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.tuples.columns cimport Columns, emit
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.tuples.operator cimport Stateful, Stateless
from streambench.pyx.machine.parking cimport SLEEPERS, Parking
from streambench.pyx.machine.threads cimport sleep_ns

cdef int64_t NAP = 50_000           # ns
cdef int64_t MOST_NAPS = 200_000    # then something is wrong
cdef int64_t LAST_LOOK = 20_000_000     # ns: in that time who has announced itself looks for the last time, and sleeps


cdef class Scene:
    """What the cues of one pipeline share. ``parking``: where its workers sleep, known as soon as it is ``entered``.

    ``starved``: how often somebody waited in vain.
    """
    cdef Crew crew
    cdef Parking* parking
    cdef atomic[int64_t] reached        # tuples that have come to a cue that marks them
    cdef atomic[int64_t] vain

    def enter(self, Crew crew):
        self.crew = crew
        self.parking = crew.parking

    @property
    def sleepers(self):
        return self.parking.state.load() & SLEEPERS

    @property
    def starved(self):
        return self.vain.load()

    cdef void wait(self, int64_t sleepers, int64_t reached) noexcept nogil:
        cdef int64_t naps = 0
        while (self.parking.state.load() & SLEEPERS) < sleepers or self.reached.load() < reached:
            sleep_ns(NAP)
            naps += 1
            if naps == MOST_NAPS:
                self.vain.fetch_add(1)
                return
        if sleepers > 0:
            sleep_ns(LAST_LOOK)


cdef struct Part:
    int64_t sleep_at, sleepers      # with this tuple it waits until so many workers sleep
    int64_t meet_at, reached        # with this one until so many tuples have been marked
    bint marks


cdef void play(Scene scene, Part* part, Columns* rows, Columns* out) noexcept nogil:
    cdef int32_t i, row
    cdef int64_t value
    for i in range(rows.n):
        value = rows.column[1][i]
        if part.marks:
            scene.reached.fetch_add(1)
        if value == part.sleep_at:
            scene.wait(part.sleepers, 0)
        if value == part.meet_at:
            scene.wait(0, part.reached)
        row = emit(out)
        out.column[0][row] = rows.column[0][i]
        out.column[1][row] = value


cdef Part part_of(sleep, meet, bint marks):
    cdef Part part
    part.sleep_at, part.sleepers = sleep or (-1, 0)
    part.meet_at, part.reached = meet or (-1, 0)
    part.marks = marks
    return part


cdef class Cue(Stateful):
    """Passes tuples (key, value) on. ``sleep``: (value at which it waits, until so many workers sleep).

    ``meet``: (value at which it waits, until so many tuples have come to a cue that ``marks``).
    """
    cdef Scene scene
    cdef Part part

    def __init__(self, Scene scene, sleep=None, meet=None, marks=False):
        self.columns = ("key", "value")
        self.scene = scene
        self.part = part_of(sleep, meet, marks)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        play(self.scene, &self.part, rows, out)
        return -1


cdef class FreeCue(Stateless):
    """The same of any number of workers at a time."""
    cdef Scene scene
    cdef Part part

    def __init__(self, Scene scene, sleep=None, meet=None, marks=False):
        self.columns = ("key", "value")
        self.scene = scene
        self.part = part_of(sleep, meet, marks)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        play(self.scene, &self.part, rows, out)
        return -1
