// The cores that a thread may run on.
#pragma once

#include <cstring>
#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace streambench {
#if defined(__linux__)
struct Cores { cpu_set_t set; };
inline Cores allowed_cores() {
    Cores cores;
    sched_getaffinity(0, sizeof cores.set, &cores.set);
    return cores;
}
inline int this_thread() { return int(syscall(SYS_gettid)); }
inline void seat(int thread, int core, const Cores& all) {
    Cores cores = all;
    if (core >= 0) {
        CPU_ZERO(&cores.set);
        CPU_SET(core, &cores.set);
    }
    sched_setaffinity(thread, sizeof cores.set, &cores.set);
}
#else
struct Cores {};
inline Cores allowed_cores() { return {}; }
inline int this_thread() { return 0; }
inline void seat(int, int, const Cores&) {}
#endif
}
