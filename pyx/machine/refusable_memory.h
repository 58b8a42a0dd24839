// Memory that the system may refuse; see memory.pxd.
#pragma once

#include <cstdlib>
#include <deque>
#include <new>
#include <vector>

namespace streambench {
// As `operator new` does: ask the handler that the program has set, and let the caller try again; without one, give up.
inline void seek_memory() {
    std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
}
inline void* enlarge(void* memory, size_t size) {
    void* larger;
    while ((larger = std::realloc(memory, size)) == nullptr) seek_memory();
    return larger;
}
// False: the body was refused memory, and was left where it stood.
inline bool has_memory(void (*body)(void*), void* argument) {
    try {
        body(argument);
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}
template <class T> inline std::vector<T>* new_vector() { return new std::vector<T>(); }
template <class T> inline void append(std::vector<T>& items, const T& item) { items.push_back(item); }
template <class T> inline void append(std::deque<T>& items, const T& item) { items.push_back(item); }
template <class T> inline void lengthen(std::vector<T>& items, size_t n) { items.resize(n); }
}
