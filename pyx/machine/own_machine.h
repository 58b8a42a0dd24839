// The simulated machine that a thread runs on; see simulated.pyx.
#pragma once

namespace streambench {
// See yield_points.pyx for the model.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static thread_local void* own_machine = nullptr;
static void* get_machine() { return own_machine; }
static void set_machine(void* machine) { own_machine = machine; }
}
