"""Why functions refused tuples, as texts that live as long as their operator: a unit holds no more than a pointer to one."""


cdef str told(error):
    """An exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


cdef class Reasons:
    """Under the GIL: workers in different units or partitions may each refuse a tuple."""

    def __cinit__(self):
        self.kept = []

    cdef const char* keep(self, str text) except NULL:
        cdef bytes held = text.replace("\0", " ").encode("utf-8", "replace")
        self.kept.append(held)
        return held
