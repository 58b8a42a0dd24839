// Numbers that are free; see number_pool.pxd.
#pragma once

#include <atomic>
#include <cstdint>

namespace streambench {
// In C++, because Cython cannot align a struct, nor make an array of atomics.
struct alignas(128) OwnNumbers {
    uint32_t n{0};
    uint32_t numbers[64];
};
struct alignas(128) NumberStack { std::atomic<uint64_t> top{0}; };
struct alignas(128) UnusedNumbers { std::atomic<uint64_t> first{1}; };
struct NumberLinks {
    std::atomic<uint32_t> below;  // the first number of the batch below, of a batch's first number
    std::atomic<uint32_t> rest;   // the next number of its batch
};
struct NumberPool {
    NumberStack stack;            // its top batch's first number; above it how often that changed
    UnusedNumbers unused;         // numbers from here on have never been taken
    uint32_t n{0};                // numbers in all
    NumberLinks* links{nullptr};  // by number
};
}
