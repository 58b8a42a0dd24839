"""Why functions refused tuples, as texts that live as long as their operator: a unit holds no
more than a pointer to one."""

import traceback


cdef str told(error):
    """An exception in one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:                   # the user's own, or of an integer without end
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


cdef class Reasons:
    """Under the GIL: workers in different units or partitions may each refuse a tuple."""

    def __cinit__(self):
        self.kept = []
        self.causes = {}

    cdef const char* keep(self, str text, object cause) except NULL:
        """``cause``: the exception, or None. Its frames lose their variables: these look into memory of the unit."""
        cdef bytes held = text.replace("\0", " ").encode("utf-8", "replace")
        cdef const char* reason = held
        self.kept.append(held)
        if cause is not None:
            traceback.clear_frames(cause.__traceback__)
            self.causes[<size_t>reason] = cause
        return reason

    cdef object cause(self, size_t reason):
        """The exception whose text is at an address, or None."""
        return self.causes.get(reason)
