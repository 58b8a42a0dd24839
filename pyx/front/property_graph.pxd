"""The property graph: what is known of a network before it runs, a node for each place where
something happens to records.

Nodes lie in an array and name each other by their numbers. Frames (entities.pxd) hold what a run adds to them.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.front.records cimport Labels, Pool, Record

cpdef enum Kind:
    OUT                                 # the record leaves the network
    FILTER
    BOX                                 # an entity
    SYNC                                # an entity
    ZIPPER                              # an entity: a star around a cell, the partial matches of all its replicas
    DISPATCH
    STAR                                # the test before the first replica
    STAGE                               # the test before a further one, in the frame of the replica before
    SPLIT
    HOME                                # the end of a split's replica: back to the frame around it
    FEEDBACK                            # the end of the loop
    ENTER
    LEAVE
    NUMBER                              # an entity: a deterministic combinator begins
    ORDER                               # an entity: and ends

cpdef enum Code:
    PUSH_NUMBER
    PUSH_LABEL
    NOT
    ABSOLUTE
    ADD
    SUBTRACT
    MULTIPLY
    DIVIDE
    REMAINDER
    EQUAL
    UNEQUAL
    LESS
    LESS_EQUAL
    GREATER
    GREATER_EQUAL
    BOOLEAN                             # 0 or 1
    AND_JUMP                            # the left side is 0: it is the value, and the right side is passed over
    OR_JUMP

cdef struct Instruction:
    int32_t code
    int32_t argument

cdef struct Item:
    int32_t label
    int32_t source                      # a label to be copied; -1: a number, that of the expression, or 0 without one
    int32_t expression                  # -1: none

cdef struct Output:
    Labels labels
    int32_t first_item
    int32_t items

cdef struct Body:
    int32_t guard                       # -1: these outputs; else a choice between two bodies
    int32_t first                       # output, or body if the guard holds
    int32_t second                      # number of outputs, or body if not

cdef struct Pattern:
    Labels labels
    int32_t guard                       # -1: none

cdef struct Branch:
    Labels labels
    int32_t node

cdef struct Node:
    int32_t kind
    int32_t slot                        # of its frame; -1: it keeps nothing
    int32_t out                         # where its records go on
    int32_t inner                       # operand, body of a filter, the other end of a deterministic combinator
    int32_t size                        # slots of a replica's frame; 0: replicas keep nothing, and are one
    int32_t label                       # the tag of a split, the number of a box, the number of initialisers
    int32_t first                       # pattern or branch; of a box `places`: of its input, then of each variant
    int32_t count                       # of those; of a box, how often it may be called at a time
    Labels labels                       # what it asks for

cdef inline bint is_entity(Node* node) noexcept nogil:
    return node.kind in (Kind.BOX, Kind.SYNC, Kind.ZIPPER, Kind.NUMBER, Kind.ORDER)

cdef class PropertyGraph:
    cdef vector[Node] nodes
    cdef vector[Body] bodies
    cdef vector[Output] outputs
    cdef vector[Item] items
    cdef vector[Pattern] patterns
    cdef vector[Branch] branches
    cdef vector[vector[Instruction]] expressions
    cdef vector[vector[int32_t]] places # labels in the order of a box's signature
    cdef vector[vector[uint64_t]] words # of sets of labels, those after the first; where these sets look for them
    cdef Labels fields, binding
    cdef readonly int labels, slots     # of the program; of the outermost frame
    cdef readonly int further           # words of labels after the first
    cdef Labels set_of(self, object bits)
    cdef bint evaluate(self, int32_t expression, const int64_t* values, int64_t* value) noexcept nogil
    cdef int matches(self, Pool* pool, Node* node, Record* record) noexcept nogil
