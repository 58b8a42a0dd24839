"""Where an engine learns that a heuristic, a reorder buffer or a worklist in Python went wrong: one for all of a run's.

The first problem stops the workers, and is told when they have returned. What fails after it is a consequence.
"""


cdef class PythonFailure:
    """Called under the GIL."""

    cdef bint stop(self, str sentence):
        """Have the run end with this sentence. False, for who returns it."""
        if self.sentence is None:
            self.sentence = sentence
        self.token.stop()
        return False

    cdef bint stop_raised(self, str what, str method, problem):
        """Likewise, where ``what`` has raised ``problem`` in one of its methods.

        Ctrl-C is kept as such: it reaches workers that are simulated.
        """
        if isinstance(problem, KeyboardInterrupt):
            self.interrupt = problem
        return self.stop(f"{what} raised {type(problem).__name__} in {method}: {problem}.")
