// Two threads that answer each other, and whoever started them waits for both; see two_threads.pxd.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace streambench {
using Body = void (*)(void*);
struct TwoThreads {
    void* shared;
    Body discard;
    std::mutex lock;  // of what follows
    std::condition_variable over;
    int running = 2;
    bool left = false;  // nobody waits: whoever is last discards
    TwoThreads(void* shared, Body discard) : shared(shared), discard(discard) {}
    ~TwoThreads() {
        if (left) discard(shared);
    }
};
inline void live_as_one_of_two(std::shared_ptr<TwoThreads> two, Body body) {
    body(two->shared);
    std::lock_guard<std::mutex> held(two->lock);
    if (--two->running == 0) two->over.notify_all();
}
inline bool run_two(Body one, Body other, void* shared, Body stop, Body discard, int64_t patience) {
    auto two = std::make_shared<TwoThreads>(shared, discard);
    std::thread begun(live_as_one_of_two, two, other);
    try {
        std::thread(live_as_one_of_two, two, one).detach();
    } catch (...) {
        stop(shared);
        begun.join();
        throw;
    }
    begun.detach();
    std::unique_lock<std::mutex> held(two->lock);
    auto over = [&] { return two->running == 0; };
    if (patience < 0)
        two->over.wait(held, over);
    else
        two->over.wait_for(held, std::chrono::nanoseconds(patience), over);
    two->left = !over();
    return over();
}
}
