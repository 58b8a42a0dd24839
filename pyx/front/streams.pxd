"""Bounded streams that block who reads an empty one or writes to a full one, and the thread that
reads each (section 3.1)."""

from libc.stdint cimport int64_t
from streambench.pyx.front.entities cimport Frame
from streambench.pyx.front.records cimport Pool, Record
from streambench.pyx.front.worker cimport Worker

cdef extern from "streams.h":
    cppclass Stream "streambench::FrontStream" nogil:
        pass
    cppclass Resident "streambench::FrontResident" nogil:
        int64_t node
        Frame* frame
        void* crew
        Stream mailbox
        Worker worker
        Pool pool
        Resident* made_before
        Resident* last
    cppclass Residents "streambench::FrontResidents" nogil:
        Resident* latest
        int64_t made
    bint write "streambench::write_front_stream"(Stream* stream, Record* record, size_t bound) noexcept nogil
    Record* read "streambench::read_front_stream"(Stream* stream) noexcept nogil
    bint is_empty "streambench::is_empty_front_stream"(Stream* stream) noexcept nogil
    Record* take_rest "streambench::take_rest_of_front_stream"(Stream* stream) noexcept nogil
    Resident* resident_at "streambench::front_resident"(Residents* all, int64_t node, Frame* frame,
                                                        bint& made) noexcept nogil
    bint start_resident "streambench::start_front_resident"(
        Residents* all, Resident* resident, void (*body)(void*) noexcept nogil, size_t stack) noexcept nogil
    void end_resident "streambench::end_front_resident"(Residents* all, Resident* resident, Worker* heir) noexcept nogil
    void inherit "streambench::inherit_from_front_resident"(Worker* heir, Resident* resident) noexcept nogil
    void wait_for_change "streambench::wait_for_front_residents"(Residents* all, bint closed,
                                                                 int64_t milliseconds) noexcept nogil
    int64_t count_alive "streambench::alive_front_residents"(Residents* all) noexcept nogil
    void close_streams "streambench::close_front_streams"(Residents* all) noexcept nogil
    Residents* new_residents "streambench::new_front_residents"() except +
    void delete_residents "streambench::delete_front_residents"(Residents* all) noexcept
    void delete_resident "streambench::delete_front_resident"(Resident* resident) noexcept
