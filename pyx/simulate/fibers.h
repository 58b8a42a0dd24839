// Fibers, and the switch from one to another; see fibers.pxd.
#pragma once

#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>
#if defined(__x86_64__) && defined(__linux__)
#define STREAMBENCH_OWN_SWITCH 1
asm(R"(
    .text
    .globl streambench_switch_stack
    .hidden streambench_switch_stack
    .type streambench_switch_stack, @function
streambench_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size streambench_switch_stack, .-streambench_switch_stack
)");
extern "C" __attribute__((visibility("hidden"))) void streambench_switch_stack(void** left, void* entered);
#endif

namespace streambench {
constexpr size_t FIBER_STACK = 256 << 10, FIBER_GUARD = 64 << 10;
struct Fiber {
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
    char* memory = nullptr;
#if defined(STREAMBENCH_OWN_SWITCH)
    void* top = nullptr;
#else
    ucontext_t context;
#endif
};
// See yield_points.pyx for the model.
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static thread_local Fiber* entering = nullptr;
static void live_in_fiber() {
    Fiber* own = entering;
    own->body(own->argument);
    std::abort();  // a body switches away for good at its end
}
inline void switch_fiber(Fiber* from, Fiber* to) {
    entering = to;
#if defined(STREAMBENCH_OWN_SWITCH)
    streambench_switch_stack(&from->top, to->top);
#else
    swapcontext(&from->context, &to->context);
#endif
}
inline void begin_fiber(Fiber* fiber, void (*body)(void*), void* argument) {
    void* memory = mmap(nullptr, FIBER_STACK + FIBER_GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, FIBER_GUARD, PROT_NONE);  // where the stack would run over
    fiber->memory = static_cast<char*>(memory);
    fiber->body = body;
    fiber->argument = argument;
#if defined(STREAMBENCH_OWN_SWITCH)
    void** top = reinterpret_cast<void**>(fiber->memory + FIBER_STACK + FIBER_GUARD);
    *--top = nullptr;  // the body's caller: there is none
    *--top = reinterpret_cast<void*>(live_in_fiber);
    for (int k = 0; k < 6; ++k) *--top = nullptr;
    fiber->top = top;
#else
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->memory + FIBER_GUARD;
    fiber->context.uc_stack.ss_size = FIBER_STACK;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, live_in_fiber, 0);
#endif
}
inline Fiber* new_fibers(int n) { return new Fiber[n]; }
inline void delete_fibers(Fiber* fibers, int n) {
    for (int k = 0; fibers != nullptr && k < n; ++k)
        if (fibers[k].memory != nullptr) munmap(fibers[k].memory, FIBER_STACK + FIBER_GUARD);
    delete[] fibers;
}
}
