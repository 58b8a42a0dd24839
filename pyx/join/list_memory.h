// The memory of a list of its own: nodes that lie one behind the other; see tuple_list.pxd.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <type_traits>
#include <vector>

namespace streambench {
// Nodes of one size. The one that was given back last is taken first: a window's order stays that of its addresses.
struct Nodes {
    static constexpr std::size_t block_bytes = 1 << 16;
    std::vector<std::unique_ptr<char[]>> blocks;
    char* next = nullptr;
    std::size_t left = 0;        // bytes from there on
    void* given_back = nullptr;  // each holds the one before it
    void* take(std::size_t size) {
        void* node = given_back;
        if (node) {
            given_back = *static_cast<void**>(node);
            return node;
        }
        if (left < size) {
            blocks.emplace_back(new char[block_bytes]);
            next = blocks.back().get();
            left = block_bytes;
        }
        node = next;
        next += size;
        left -= size;
        return node;
    }
    void give_back(void* node) {
        *static_cast<void**>(node) = given_back;
        given_back = node;
    }
};
template <class T> struct OwnMemory {
    typedef T value_type;
    typedef std::true_type propagate_on_container_move_assignment;
    std::shared_ptr<Nodes> nodes = std::make_shared<Nodes>();
    OwnMemory() = default;
    template <class U> OwnMemory(const OwnMemory<U>& other) : nodes(other.nodes) {}
    T* allocate(std::size_t) { return static_cast<T*>(nodes->take(sizeof(T))); }  // a list asks for single nodes
    void deallocate(T* node, std::size_t) { nodes->give_back(node); }
    template <class U> bool operator==(const OwnMemory<U>& other) const { return nodes == other.nodes; }
    template <class U> bool operator!=(const OwnMemory<U>& other) const { return nodes != other.nodes; }
};
template <class L, class T> inline void append_to_list(L& items, const T& item) { items.push_back(item); }
template <class L> inline void share_memory(L& empty, const L& other) { empty = L(other.get_allocator()); }
}
