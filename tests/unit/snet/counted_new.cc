// `operator new`, counted, for LD_PRELOAD: one call can be refused.

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<long> calls{0};
static std::atomic<long> refused{-1};   // the call with this number; -1: none
static std::atomic<long> living{0};
static std::atomic<long> most{0};

// Count from now on, and refuse the call number `nth`, from 0; -1: none.
extern "C" void count_from_now(long nth) {
    calls = 0;
    refused = nth;
    most = living.load();
}
extern "C" long calls_since() { return calls; }
extern "C" long living_now() { return living; }
extern "C" long most_living() { return most; }

void* operator new(std::size_t size) {
    void* made = calls++ == refused ? nullptr : std::malloc(size ? size : 1);
    if (made == nullptr) throw std::bad_alloc();
    long now = ++living, before = most;
    while (now > before && !most.compare_exchange_weak(before, now)) {}
    return made;
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) living--;
    std::free(memory);
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
