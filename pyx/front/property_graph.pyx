"""The property graph as it is handed over by Python, its tests and its arithmetic."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.front.further_labels cimport accepts

cdef enum:
    DEEPEST = 128  # operands that an expression holds at a time: more than a program nests them (nesting.py)


cdef class PropertyGraph:
    """A network in tables: ``nodes`` (as `Node`), ``bodies``, ``outputs``, ``items``, ``patterns``, ``branches`` as
    tuples in the order of the structs, ``expressions`` as lists of (code, argument), ``places`` as lists of labels.
    ``fields``, ``binding``: which labels are so. Sets of labels are bits of one integer, also where they take several
    words: ``further`` after the first."""

    def __init__(self, list nodes, list bodies, list outputs, list items, list patterns, list branches,
                 list expressions, list places, *, int labels, fields, binding, int slots, int further=0):
        cdef Node node
        cdef Body body
        cdef Output output
        cdef Item item
        cdef Pattern pattern
        cdef Branch branch
        cdef Instruction instruction
        cdef vector[Instruction] code
        cdef vector[int32_t] numbers
        self.labels, self.further, self.slots = labels, further, slots
        self.fields, self.binding = self.set_of(fields), self.set_of(binding)
        for each in nodes:
            (node.kind, node.slot, node.out, node.inner, node.size, node.label, node.first, node.count, bits) = each
            node.labels = self.set_of(bits)
            self.nodes.push_back(node)
        for body.guard, body.first, body.second in bodies:
            self.bodies.push_back(body)
        for bits, output.first_item, output.items in outputs:
            output.labels = self.set_of(bits)
            self.outputs.push_back(output)
        for item.label, item.source, item.expression in items:
            self.items.push_back(item)
        for bits, pattern.guard in patterns:
            pattern.labels = self.set_of(bits)
            self.patterns.push_back(pattern)
        for bits, branch.node in branches:
            branch.labels = self.set_of(bits)
            self.branches.push_back(branch)
        for listed in expressions:
            code.clear()
            for instruction.code, instruction.argument in listed:
                code.push_back(instruction)
            self.expressions.push_back(code)
        for listed in places:
            numbers = listed
            self.places.push_back(numbers)

    cdef Labels set_of(self, object bits):
        """A set of labels, ``bits`` of an integer."""
        cdef Labels labels
        cdef int k
        labels.first = bits & ~<uint64_t>0
        if self.further:
            self.words.push_back(vector[uint64_t]())
            for k in range(1, self.further + 1):
                self.words.back().push_back(bits >> 64 * k & ~<uint64_t>0)
            labels.further = self.words.back().data()     # stays, though `words` grows: vectors are moved
        return labels

    cdef int matches(self, Pool* pool, Node* node, Record* record) noexcept nogil:
        """Whether a record matches one of the node's patterns: 1 or 0, -1 for a division by zero."""
        cdef int64_t value
        cdef int32_t k
        cdef Pattern* pattern
        for k in range(node.first, node.first + node.count):
            pattern = &self.patterns[k]
            if not accepts(pool, &pattern.labels, record):
                continue
            if pattern.guard < 0:
                return 1
            if not self.evaluate(pattern.guard, record.values, &value):
                return -1
            if value:
                return 1
        return 0

    cdef bint evaluate(self, int32_t expression, const int64_t* values, int64_t* value) noexcept nogil:
        """The ``value`` of an expression, in 32 bits; False for a division by zero."""
        cdef int64_t[DEEPEST] stack
        cdef int64_t* top = stack
        cdef int64_t left, right
        cdef size_t at = 0
        cdef vector[Instruction]* code = &self.expressions[expression]
        cdef Instruction* each
        while at < code.size():
            each = &code[0][at]
            at += 1
            if each.code == Code.PUSH_NUMBER:
                top += 1
                top[0] = each.argument
                continue
            if each.code == Code.PUSH_LABEL:
                top += 1
                top[0] = values[each.argument]
                continue
            right = top[0]
            if each.code == Code.NOT:
                top[0] = right == 0
            elif each.code == Code.ABSOLUTE:
                top[0] = <int32_t>(-right if right < 0 else right)
            elif each.code == Code.BOOLEAN:
                top[0] = right != 0
            elif each.code == Code.AND_JUMP or each.code == Code.OR_JUMP:
                if (right != 0) == (each.code == Code.OR_JUMP):
                    top[0] = right != 0
                    at += each.argument
                else:
                    top -= 1
            else:
                top -= 1
                left = top[0]
                if each.code == Code.ADD:
                    left = <int32_t>(left + right)
                elif each.code == Code.SUBTRACT:
                    left = <int32_t>(left - right)
                elif each.code == Code.MULTIPLY:
                    left = <int32_t>(left * right)
                elif each.code == Code.EQUAL:
                    left = left == right
                elif each.code == Code.UNEQUAL:
                    left = left != right
                elif each.code == Code.LESS:
                    left = left < right
                elif each.code == Code.LESS_EQUAL:
                    left = left <= right
                elif each.code == Code.GREATER:
                    left = left > right
                elif each.code == Code.GREATER_EQUAL:
                    left = left >= right
                elif right == 0:
                    return False
                elif each.code == Code.DIVIDE:
                    left = <int32_t>(left / right)          # in 64 bits, so that -2^31 / -1 wraps
                else:
                    left = left % right
                top[0] = left
        value[0] = top[0]
        return True
