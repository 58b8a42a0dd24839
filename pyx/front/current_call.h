// How a native box is called: its thread knows the call meanwhile.
#pragma once

#include "box_call.h"

namespace streambench {
// The call that a thread is in, for what Python hears meanwhile; std::bad_alloc may leave it.
// See yield_points.pyx for the model.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static thread_local FrontCall* front_current = nullptr;
struct FrontWithin {
    FrontCall* before = front_current;
    explicit FrontWithin(FrontCall* call) { front_current = call; }
    ~FrontWithin() { front_current = before; }
};
}
static inline void front_run(void (*function)(streambench::FrontCall*), streambench::FrontCall* call) {
    streambench::FrontWithin within(call);
    function(call);
}
static inline void front_blame() {
    if (streambench::front_current != nullptr)
        streambench::front_current->wrong("raised an exception, which is told on standard error");
}
