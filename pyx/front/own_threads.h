// Which run a thread works for; see own_threads.pyx.
#pragma once

namespace streambench {
// See yield_points.pyx for the model.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
inline thread_local void* front_crew_of_thread = nullptr;
inline void* set_front_crew_of_thread(void* crew) {
    void* before = front_crew_of_thread;
    front_crew_of_thread = crew;
    return before;
}
inline void* get_front_crew_of_thread() { return front_crew_of_thread; }
}
