// What a module knows of simulated machines; see simulated.pxd.
#pragma once

namespace streambench {
// Whether any machine is simulated just now, written down in every module for itself: there a seam is one
// comparison with a constant address. A look by way of simulated.pyx's variable takes two loads and a register, at
// a dozen places a unit.
struct Asks {  // of one module
    int asks;
    Asks* next;
    inline Asks();
};
struct AllAsks {
    Asks* first;
    int machines;
    bool is_kept;  // by simulated.pyx, which tells the modules
};
inline AllAsks all_asks{};  // one for the process: where the linker makes it so
inline Asks::Asks() : asks(all_asks.is_kept ? all_asks.machines : 1), next(all_asks.first) { all_asks.first = this; }
// 1 until simulated.pyx has said 0. So a module of which it does not hear asks `machine_here` every time, and is
// slower, not wrong.
static Asks asks_here;
static inline void tell_asks(int machines) {
    all_asks.machines = machines;
    all_asks.is_kept = true;
    for (Asks* module = all_asks.first; module; module = module->next) module->asks = machines;
}
}
#if defined(__GNUC__)
// So that what a simulated machine is told stands apart from the code that runs without one, and keeps registers
// there, not here.
#define streambench_is_asked() __builtin_expect_with_probability(streambench::asks_here.asks != 0, 0, 1.0)
#else
#define streambench_is_asked() (streambench::asks_here.asks != 0)
#endif
