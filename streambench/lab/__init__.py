"""The laboratory: data and queries, what is right, what measures, results and their views, peers, the command line.

It uses the library; nothing of the library uses it.
"""

from streambench.execution.engine_registry import register

register("schemes", "streambench.lab.schemes", "make")
