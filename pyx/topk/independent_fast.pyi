from streambench.pyx.topk.summary import Summary

class IndependentFast(Summary):
    @property
    def nbytes(self) -> int: ...
