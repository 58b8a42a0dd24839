from streambench.pyx.topk.summary import Summary

class LossyCounting(Summary):
    @property
    def nbytes(self) -> int: ...
