"""The laboratory: data and queries, what is right, what measures, results and their views, peers, the command line.

It uses the library; nothing of the library uses it.
"""
