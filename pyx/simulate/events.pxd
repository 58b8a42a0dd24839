"""What happens next: a binary heap of cores by the time at which each goes on; of equal times the earlier entry first."""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <cstdint>
    #include <queue>
    #include <vector>
    namespace streambench {
    struct Event {
        double at;              // ns
        int64_t number;         // the order in which they were entered
        int64_t stamp;          // of its core as it was entered: if the core has another by now, it has gone on already
        int core;
    };
    struct IsLater {
        bool operator()(const Event& a, const Event& b) const {
            return a.at > b.at || (a.at == b.at && a.number > b.number);
        }
    };
    typedef std::priority_queue<Event, std::vector<Event>, IsLater> Events;
    }
    """
    cppclass Event "streambench::Event" nogil:
        double at
        int64_t number
        int64_t stamp
        int core

    cppclass Events "streambench::Events" nogil:
        const Event& top()
        void push(const Event& event)
        void pop()
        bint empty()
        size_t size()
