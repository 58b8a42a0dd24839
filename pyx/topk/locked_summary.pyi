from streambench.pyx.topk.summary import Summary

class LockedSummary(Summary):
    @property
    def nbytes(self) -> int: ...
