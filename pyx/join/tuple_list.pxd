"""A list of tuples whose nodes lie one behind the other, in memory of its own.

From the heap they would come wherever the last run's lists have left gaps: there a walk takes up to ten times as long.
"""

from libc.stdint cimport int64_t
from libcpp.list cimport list as linked_list

cdef extern from *:
    """
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
        std::size_t left = 0;       // bytes from there on
        void* given_back = nullptr; // each holds the one before it
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
        T* allocate(std::size_t) { return static_cast<T*>(nodes->take(sizeof(T))); }    // a list asks for single nodes
        void deallocate(T* node, std::size_t) { nodes->give_back(node); }
        template <class U> bool operator==(const OwnMemory<U>& other) const { return nodes == other.nodes; }
        template <class U> bool operator!=(const OwnMemory<U>& other) const { return nodes != other.nodes; }
    };
    template <class L, class T> inline void append_to_list(L& items, const T& item) { items.push_back(item); }
    template <class L> inline void share_memory(L& empty, const L& other) { empty = L(other.get_allocator()); }
    }
    """
    cppclass OwnMemory "streambench::OwnMemory"[T] nogil:
        pass

    void append_to_list "streambench::append_to_list"[L, T](L& items, const T& item) noexcept nogil    # see `memory`
    # Nodes go from one to the other: both shall have them in one place.
    void share_memory "streambench::share_memory"[L](L& empty, const L& other) except +

cdef union Value:
    int64_t whole
    float single
    double real

cdef struct Tuple:
    int64_t ts
    int64_t row
    Value value                         # of the first term; others are looked up where that holds

ctypedef linked_list[Tuple, OwnMemory[Tuple]] TupleList
