// Events, the earliest first; see events.pxd.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace streambench {
struct Event {
    double at;       // ns
    int64_t number;  // the order in which they were entered
    int64_t stamp;   // of its core as it was entered: if the core has another by now, it has gone on already
    int core;
};
struct IsLater {
    bool operator()(const Event& a, const Event& b) const {
        return a.at > b.at || (a.at == b.at && a.number > b.number);
    }
};
typedef std::priority_queue<Event, std::vector<Event>, IsLater> Events;
}
