from streambench.pyx.topk.summary import Summary

class StreamSummary(Summary):
    @property
    def nbytes(self) -> int: ...
